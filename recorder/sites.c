// Call sites: where a call of MPI was made, and its callers. The stack is unwound once for each
// return address and frame; later calls only check that the callers' return addresses still lie
// where they lay.
#include "sites.h"

#include <string.h>
#include <unwind.h>

Known known_sites[KNOWN];

static uintptr_t paths[MOST_SITES][FRAMES];
static int32_t path_count;

typedef struct {
  Known* known;
  uintptr_t frame;
  uintptr_t path[FRAMES];
  int frames;  // that are the program's own
} Walk;

static _Unwind_Reason_Code step(struct _Unwind_Context* context, void* given) {
  Walk* walk = given;
  const uintptr_t address = _Unwind_GetIP(context);
  // This is the stack pointer at the call: below it lies the return address.
  const uintptr_t cfa = _Unwind_GetCFA(context);
  if (cfa < walk->frame) return _URC_NO_REASON;  // the recorder's own frames
  // What lies farther off may be another stack, which may be gone when a call is compared with it.
  if (address == 0 || cfa - walk->frame > FARTHEST) return _URC_END_OF_STACK;
  if (walk->known->count < CHECKED) {
    walk->known->offset[walk->known->count] = (int32_t)(cfa - sizeof(uintptr_t) - walk->frame);
    walk->known->address[walk->known->count++] = address;
  }
  if (walk->frames > 0 || !of_library(address - 1)) walk->path[walk->frames++] = address;
  return walk->frames < FRAMES ? _URC_NO_REASON : _URC_END_OF_STACK;
}

static int32_t number_of(const Walk* walk) {
  static int32_t numbers[2 * MOST_SITES];  // 1 + the number of a path, by hash; 0 for none
  uint64_t hash = 0;
  for (int k = 0; k < FRAMES; ++k) hash = (hash ^ walk->path[k]) * UINT64_C(0x9e3779b97f4a7c15);
  size_t at = (hash >> 32) % (2 * MOST_SITES);
  for (; numbers[at]; at = (at + 1) % (2 * MOST_SITES))
    if (memcmp(paths[numbers[at] - 1], walk->path, sizeof walk->path) == 0) return numbers[at] - 1;
  if (path_count == MOST_SITES) return -1;
  memcpy(paths[path_count], walk->path, sizeof walk->path);
  define_site(path_count, walk->frames, walk->path);
  numbers[at] = ++path_count;
  return path_count - 1;
}

int32_t new_site(uintptr_t address, uintptr_t frame) {
  Known* known = &known_sites[place_of_site(address, frame)];
  Known found = {.address_of_call = address, .frame = frame};
  Walk walk = {.known = &found, .frame = frame};
  _Unwind_Backtrace(step, &walk);
  found.site = number_of(&walk);
  *known = found;
  return found.site;
}
