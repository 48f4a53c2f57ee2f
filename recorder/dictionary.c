// The dictionary of distinct calls, lists that calls refer to, and the statistics of all calls.
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

// Beyond so many distinct calls the trace ends: the dictionary would take more than it saves.
#define MOST_ENTRIES ((uint32_t)1 << 20)

static uint64_t mixed(uint64_t value) {
  value *= UINT64_C(0x9e3779b97f4a7c15);
  return value ^ (value >> 32);
}

// Odd factors, one for each word, so that no product waits for another one.
static const uint64_t factors[6] = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9),
                                    UINT64_C(0x94d049bb133111eb), UINT64_C(0xd6e8feb86659fd93),
                                    UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db)};

static inline __attribute__((always_inline)) uint64_t hash_of_words(const void* from, int words) {
  uint64_t hash = 0, word;
#pragma GCC unroll 6
  for (int k = 0; k < words; ++k) {
    memcpy(&word, (const char*)from + 8 * k, 8);
    hash += (word ^ word >> 32) * factors[k];
  }
  return mixed(hash ^ hash >> 29);
}

// ---- distinct calls: entries in pieces that never move, and an index of them by hash
#define PIECE 4096

static Entry* pieces[MOST_ENTRIES / PIECE];
static uint32_t *index_of, entries, places;

static Entry* entry_at(uint32_t number) {
  return &pieces[(number - 1) / PIECE][(number - 1) % PIECE];
}

static int grow_index(void) {
  const uint32_t wanted = places ? 2 * places : 1024;
  uint32_t* larger = calloc(wanted, sizeof *larger);
  if (!larger) return 0;
  for (uint32_t number = 1; number <= entries; ++number) {
    uint64_t at = hash_of_words(&entry_at(number)->call, 6) & (wanted - 1);
    while (larger[at]) at = (at + 1) & (wanted - 1);
    larger[at] = number;
  }
  free(index_of);
  index_of = larger;
  places = wanted;
  return 1;
}

static Entry* new_entry(const Call* call) {
  Entry** piece = &pieces[entries / PIECE];
  if (!*piece && !(*piece = calloc(PIECE, sizeof **piece))) return NULL;
  Entry* entry = entry_at(++entries);
  *entry = (Entry){.call = *call, .number = entries, .region = -1};
  define_call(call);
  return entry;
}

// The entry of a call; null if the trace has ended.
Entry* entry_of(const Call* call) {
  if (2 * entries >= places && !grow_index()) {
    stop_tracing(DICTIONARY);
    return NULL;
  }
  uint64_t at = hash_of_words(call, 6) & (places - 1);
  for (; index_of[at]; at = (at + 1) & (places - 1)) {
    Entry* entry = entry_at(index_of[at]);
    if (memcmp(&entry->call, call, sizeof *call) == 0) return entry;
  }
  if (entries == MOST_ENTRIES) {
    stop_tracing(DICTIONARY);
    return NULL;
  }
  Entry* entry = new_entry(call);
  if (!entry || !tracing) {
    stop_tracing(DICTIONARY);
    return NULL;
  }
  index_of[at] = entry->number;
  return entry;
}

// ---- lists
typedef struct List {
  struct List* next;
  uint64_t hash;
  size_t length;
  uint32_t number;
  uint8_t bytes[];
} List;

static List* lists[8192];
static uint32_t list_count;

// The number of a list of bytes, from 1 on; 0 if there is no memory or no trace.
uint32_t list_of(const uint8_t* bytes, size_t length) {
  if (!tracing) return 0;
  uint64_t hash = length, word = 0;
  size_t k = 0;
  for (; k + 8 <= length; k += 8) {
    memcpy(&word, bytes + k, 8);
    hash = mixed(hash + word);
  }
  word = 0;
  if (k < length) memcpy(&word, bytes + k, length - k);
  hash = mixed(hash + word);
  List** bucket = &lists[hash % 8192];
  for (List* list = *bucket; list; list = list->next)
    if (list->hash == hash && list->length == length && !memcmp(list->bytes, bytes, length))
      return list->number;
  List* list = malloc(sizeof *list + length);
  if (!list) return 0;
  *list = (List){.next = *bucket, .hash = hash, .length = length, .number = ++list_count};
  memcpy(list->bytes, bytes, length);
  *bucket = list;
  define_list(bytes, length);
  return list->number;
}

// ---- statistics, which go on where the trace has ended
static Statistic **statistics, *spare;
static uint32_t statistic_places, statistic_count, spare_left;
static Block* statistic_block;

// Null if the disk is full.
static Statistic* new_statistic(void) {
  if (spare_left == 0) {
    statistic_block = new_block(STATISTICS, 0, sizeof(Statistic));
    if (!statistic_block) {
      head->statistics_lost = 1;
      return NULL;
    }
    spare = (Statistic*)(statistic_block + 1);
    spare_left = (uint32_t)((statistic_block->size - sizeof(Block)) / sizeof(Statistic));
  }
  --spare_left;
  return spare++;
}

// Take room for the first ones, before a program may limit its files.
void begin_statistics(void) {
  if (new_statistic()) {
    --spare;
    ++spare_left;
  }
}

static uint64_t place_of(const Statistic* key, uint32_t size) {
  return hash_of_words(key, 3) & (size - 1);
}

static int grow_statistics(void) {
  const uint32_t wanted = statistic_places ? 2 * statistic_places : 1024;
  Statistic** larger = calloc(wanted, sizeof *larger);
  if (!larger) return 0;
  for (uint32_t k = 0; k < statistic_places; ++k) {
    if (!statistics[k]) continue;
    uint64_t at = place_of(statistics[k], wanted);
    while (larger[at]) at = (at + 1) & (wanted - 1);
    larger[at] = statistics[k];
  }
  free(statistics);
  statistics = larger;
  statistic_places = wanted;
  return 1;
}

Statistic* statistic_of(const Call* call) {
  const Statistic key = {.function = call->function,
                         .site = call->site,
                         .space = call->space,
                         .peer = call->peer,
                         .region = region};
  static Statistic lost;
  if (2 * statistic_count >= statistic_places && !grow_statistics()) return &lost;
  uint64_t at = place_of(&key, statistic_places);
  for (; statistics[at]; at = (at + 1) & (statistic_places - 1))
    if (memcmp(statistics[at], &key, 24) == 0) return statistics[at];
  define_function(call->function);
  Statistic* made = head->statistics_lost ? NULL : new_statistic();
  if (!made) return &lost;
  *made = key;
  statistics[at] = made;
  ++statistic_count;
  __atomic_store_n(&statistic_block->used,
                   (uint64_t)((uint8_t*)spare - (uint8_t*)(statistic_block + 1)), __ATOMIC_RELEASE);
  return made;
}

// ---- regions that MPI_Pcontrol names
int32_t region_of(const char* name) {
  static char* names[256];
  static int32_t count;
  for (int32_t k = 0; k < count; ++k)
    if (strcmp(names[k], name) == 0) return k + 1;
  if (count == 256 || !(names[count] = strdup(name))) return 0;
  define_region(++count, name);
  return count;
}
