// What a plug-in for one-sided memory offers: libphasewise_shmem.so (OpenSHMEM) and
// libphasewise_coarray.so (Fortran co-arrays) each fill in this table. They are loaded when a
// protocol asks for them, so that nothing else needs their libraries.
//
// Every rank has the same number of bytes and of flags, which all ranks may write to. Ranks are
// those of MPI_COMM_WORLD. Functions that are collective are called by all ranks in the same order.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct PhasewiseTransport {
  // Collective, called once per process and after MPI_Init. If the library cannot end a process
  // properly, the transport ends it instead, and first calls `finalise` for what MPI needs.
  void (*start)(void (*finalise)(void));
  int (*rank)(void);
  int (*ranks)(void);
  // Collective. Grows this rank's memory to this many bytes and flags, both above zero, and returns
  // its new place. Bytes, flags and clocks keep their contents, and new flags are 0. No put may be
  // under way. Returns null if the library has no more memory; the transport cannot be used then.
  void* (*open)(int64_t bytes, int64_t flags);
  // Writes to the peer's memory. `data` may be reused at once; the data are at the peer after a
  // flush, or before a flag that is set later.
  void (*put)(int peer, int64_t offset, const void* data, int64_t bytes);
  // Returns when all puts of this rank are at their peers.
  void (*flush)(void);
  // Sets a flag of the peer when all puts to it so far are there, and beside it the sender's clock
  // [s]. Each call increases the flag's value by one; the clocks of its last two values are kept.
  void (*set_flag)(int peer, int64_t flag, int64_t value, double clock);
  // Whether a flag of this rank has reached a value. If so, *clock becomes the clock beside it, and
  // what was put before the flag can be read. Lets the library make progress.
  int (*test_flag)(int64_t flag, int64_t value, double* clock);
  // Collective: returns when all ranks have called it and their puts are done.
  void (*sync)(void);
  // Collective. Frees the memory; open may follow.
  void (*close)(void);
};

// A plug-in exports a function of this name, which returns its table.
const struct PhasewiseTransport* phasewise_transport(void);

#ifdef __cplusplus
}
#endif
