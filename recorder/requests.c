// Requests under way. One handle may stand for several of them: both libraries give the same to
// all small sends, which are complete at once; they are completed in the order of posting.
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

#define BUCKETS 8192
#define MOST_SLOTS (1 << 20)

typedef struct {
  Request *first, *last;
} Bucket;

static Bucket buckets[BUCKETS];
static Request* unused;
static uint64_t* taken;  // a bit for each slot
static int words, lowest;

// The lowest free slot: programs that repeat themselves get the same ones again.
int32_t take_slot(void) {
  for (int k = lowest; k < words; ++k)
    if (~taken[k]) {
      const int bit = __builtin_ctzll(~taken[k]);
      taken[k] |= UINT64_C(1) << bit;
      lowest = k;
      return 64 * k + bit;
    }
  const int wanted = words ? 2 * words : 16;
  uint64_t* larger = wanted > MOST_SLOTS / 64 ? NULL : realloc(taken, 8 * (size_t)wanted);
  if (!larger) return -1;
  memset(larger + words, 0, 8 * (size_t)(wanted - words));
  taken = larger;
  lowest = words;
  words = wanted;
  taken[lowest] = 1;
  return 64 * lowest;
}

void free_slot(int32_t slot) {
  if (slot < 0) return;
  taken[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
  if (slot / 64 < lowest) lowest = slot / 64;
}

static Bucket* bucket_of(uintptr_t handle) {
  return &buckets[((handle >> 4) * 2654435761u ^ handle) % BUCKETS];
}

Request* add_request(MPI_Request given, Space* space, int persistent) {
  const uintptr_t handle = HANDLE(given);
  Request* request = unused;
  if (request)
    unused = request->next;
  else if (!(request = malloc(sizeof *request)))
    abort();
  *request = (Request){.handle = handle,
                       .space = space,
                       .peer = NOBODY,
                       .slot = take_slot(),
                       .made = MPI_COMM_NULL,
                       .persistent = (uint8_t)persistent,
                       .active = !persistent};
  hold_space(space);
  Bucket* bucket = bucket_of(handle);
  if (bucket->first)
    bucket->last->next = request;
  else
    bucket->first = request;
  bucket->last = request;
  return request;
}

Request* find_request(uintptr_t handle) {
  for (Request* request = bucket_of(handle)->first; request; request = request->next)
    if (request->handle == handle) return request;
  return NULL;
}

void drop_request(Request* request) {
  Bucket* bucket = bucket_of(request->handle);
  Request* before = NULL;
  for (Request* one = bucket->first; one != request; one = one->next) before = one;
  if (before)
    before->next = request->next;
  else
    bucket->first = request->next;
  if (bucket->last == request) bucket->last = before;
  free_slot(request->slot);
  release_space(request->space);
  request->next = unused;
  unused = request;
}

// The requests that a call may complete, found before it: meanwhile the library may give a handle
// to a request of another thread. Equal handles stand for different requests.
void claim_requests(int count, const MPI_Request* handles, Request** found) {
  if (several_threads) lock_recorder();
  for (int k = 0; k < count; ++k) {
    const uintptr_t handle = HANDLE(handles[k]);
    found[k] = bucket_of(handle)->first;
    while (found[k] && (found[k]->handle != handle || found[k]->claimed)) found[k] = found[k]->next;
    if (found[k]) found[k]->claimed = 1;
  }
  if (several_threads) unlock_recorder();
}

// Those that the call has not completed; the others are no longer in `found`. A call that failed
// may have ended some of them.
void release_requests(int count, const MPI_Request* handles, Request** found) {
  for (int k = 0; k < count; ++k) {
    if (!found[k]) continue;
    found[k]->claimed = 0;
    if (handles[k] == MPI_REQUEST_NULL) drop_request(found[k]);
  }
}

// A receive or a persistent request has a handle of its own: an older one with it has ended unseen.
void drop_older(const Request* request) {
  Request* older = find_request(request->handle);
  if (older && older != request && !older->claimed) drop_request(older);
}
