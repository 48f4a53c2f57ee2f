// The site of a call, found without unwinding where it is known.
#pragma once
#include "recorder.h"

#define FRAMES 5    // of the program that make a site: the call and its callers
#define CHECKED 12  // return addresses that are compared: the library's frames come on top
#define FARTHEST ((uintptr_t)64 << 20)  // bytes of the stack that the callers may take
#define KNOWN 4096
#define MOST_SITES 16384

typedef struct {
  uintptr_t address_of_call, frame;
  uintptr_t address[CHECKED];
  int32_t offset[CHECKED];  // where each return address lies, from the frame
  int32_t count, site;
} Known;

extern Known known_sites[KNOWN];

static inline uint32_t place_of_site(uintptr_t address, uintptr_t frame) {
  return ((uint32_t)(address >> 1) * 2654435761u ^ (uint32_t)(frame >> 4) * 40503u) % KNOWN;
}

// address: where the call returns to; frame: the stack pointer before it.
static inline int32_t site_of(uintptr_t address, uintptr_t frame) {
  const Known* known = &known_sites[place_of_site(address, frame)];
  if (known->address_of_call != address || known->frame != frame) return new_site(address, frame);
#if defined(__x86_64__)
  // Elsewhere return addresses need not lie on the stack.
  for (int k = 0; k < known->count; ++k)
    if (*(const uintptr_t*)(frame + (uintptr_t)(intptr_t)known->offset[k]) != known->address[k])
      return new_site(address, frame);
#endif
  return known->site;
}
