// Puts the wrappers into the places of the stub, once the program begins with MPI.
#include <string.h>

#include "recorder.h"

void set_recording(const char* where, uint64_t most);

// names: those of the stub's functions, in order; find: the library's own function of a name.
__attribute__((visibility("default"))) void phasewise_attach(const char* where, uint64_t most,
                                                             int count, const char* const* names,
                                                             void** places,
                                                             void* (*find)(const char*)) {
  set_recording(where, most);
  for (int k = 0; k < FUNCTIONS; ++k) *function_reals[k] = find(function_names[k]);
  for (int place = 0, k = 0; place < count; ++place) {
    while (k < FUNCTIONS && strcmp(function_names[k], names[place]) < 0) ++k;
    if (k == FUNCTIONS) return;
    const int same = strcmp(function_names[k], names[place]) == 0;
    if (same && function_wrappers[k] && *function_reals[k])
      __atomic_store_n(&places[place], function_wrappers[k], __ATOMIC_RELEASE);
  }
}
