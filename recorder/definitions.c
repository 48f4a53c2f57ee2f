// What numbers in the trace stand for, written when they are first used.
#include <string.h>

#include "recorder.h"

static Stream stream = {.kind = DEFINITIONS}, entries = {.kind = ENTRIES};

static uint8_t* begin(uint32_t kind, size_t most) {
  uint8_t* at = room(kind == LIST || kind == CALL ? &entries : &stream, most + 16);
  return at ? varint(at, kind) : NULL;
}

static uint8_t* text(uint8_t* at, const char* given) {
  const size_t length = strlen(given);
  at = varint(at, length);
  memcpy(at, given, length);
  return at + length;
}

// Take room for the first distinct calls, before a program may limit its files.
void begin_definitions(void) { room(&entries, 128); }

void define_text(const char* name, const char* given) {
  uint8_t* at = begin(TEXT, strlen(name) + strlen(given) + 20);
  if (at) written(&stream, text(text(at, name), given));
}

uint8_t function_known[FUNCTIONS];

void define_function(uint32_t function) {
  if (function_known[function]) return;
  uint8_t* at = begin(FUNCTION, 128);
  if (!at) return;
  function_known[function] = 1;
  written(&stream, text(varint(at, function), function_names[function]));
}

// A loaded object gets its number when it is met first.
static void define_object(Object* object) {
  static int count;
  if (!object || object->number >= 0) return;
  uint8_t* at = begin(OBJECT, strlen(object->path) + 40);
  if (!at) return;
  object->number = count++;
  at = varint(varint(at, (uint64_t)object->number), object->start);
  written(&stream, text(at, object->path));
}

void define_site(int32_t site, int frames, const uintptr_t* addresses) {
  Object* found[16];
  // A return address may be the first one of the next function.
  for (int k = 0; k < frames; ++k) define_object(found[k] = object_at(addresses[k] - 1));
  uint8_t* at = begin(SITE, 64 + 32 * (size_t)frames);
  if (!at) return;
  at = varint(varint(at, (uint64_t)site), (uint64_t)frames);
  for (int k = 0; k < frames; ++k) {
    const int number = found[k] ? found[k]->number : -1;
    const uintptr_t start = number < 0 ? 0 : found[k]->start;
    at = varint(varint(at, (uint64_t)(number + 1)), addresses[k] - 1 - start);
    at = text(at, "");
  }
  written(&stream, at);
}

void define_space(const Space* space, uint64_t parent, const char* name) {
  uint8_t* at = begin(SPACE, 128 + strlen(name) + 10 * (size_t)space->n);
  if (!at) return;
  at = varint(varint(at, (uint64_t)space->number), (uint64_t)space->kind);
  memcpy(at, &space->id, 8);
  memcpy(at + 8, &parent, 8);
  at = text(varint(at + 16, zigzag(space->me)), name);
  at = varint(at, (uint64_t)space->n);
  int before = 0;
  for (int k = 0; k < space->n; ++k) {
    at = varint(at, zigzag((int64_t)space->world[k] - before));
    before = space->world[k];
  }
  written(&stream, at);
}

static uint8_t* ranks_in(uint8_t* at, const Space* space, int count, const int* ranks) {
  at = varint(at, (uint64_t)count);
  for (int k = 0; k < count; ++k) at = varint(at, zigzag(world_rank(space, ranks[k])));
  return at;
}

void define_neighbours(const Space* space, int in, const int* from, int out, const int* to) {
  uint8_t* at = begin(NEIGHBOURS, 64 + 10 * (size_t)(in + out));
  if (!at) return;
  at = varint(at, (uint64_t)space->number);
  written(&stream, ranks_in(ranks_in(at, space, in, from), space, out, to));
}

void define_name(const Space* space, const char* name) {
  uint8_t* at = begin(NAME, strlen(name) + 40);
  if (at) written(&stream, text(varint(at, (uint64_t)space->number), name));
}

void define_list(const uint8_t* bytes, size_t length) {
  uint8_t* at = begin(LIST, length + 20);
  if (!at) return;
  at = varint(at, length);
  memcpy(at, bytes, length);
  written(&entries, at + length);
}

void define_call(const Call* call) {
  define_function(call->function);
  uint8_t* at = begin(CALL, 128);
  if (!at) return;
  at = varint(varint(at, call->function), zigzag(call->site));
  at = varint(varint(at, zigzag(call->space)), zigzag(call->peer));
  at = varint(varint(at, zigzag(call->source)), zigzag(call->slot));
  at = varint(varint(varint(at, call->list), call->flags), call->tags);
  written(&entries, varint(varint(at, zigzag(call->sent)), zigzag(call->received)));
}

void define_region(int32_t number, const char* name) {
  uint8_t* at = begin(REGION, strlen(name) + 40);
  if (at) written(&stream, text(varint(at, (uint64_t)number), name));
}
