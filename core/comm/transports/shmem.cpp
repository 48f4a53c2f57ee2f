// OpenSHMEM as a transport: libphasewise_shmem.so, built with Open MPI's liboshmem.
#include <mpi.h>
#include <shmem.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "comm/transport.h"

namespace {

// It has a cache line of its own, since others write to it. A sender may set a flag again before
// its last clock was read, but not twice: therefore it keeps two clocks.
struct alignas(64) Flag {
  long value;  // 64 bits wherever Open MPI 4 runs
  double clock[2];
};

std::byte* memory = nullptr;
Flag* flags = nullptr;
std::int64_t memory_size = 0, flags_size = 0;
void (*finalise_mpi)() = nullptr;

// Ends the process instead of the rest of exit(), in which Open MPI 4.1.4 crashes: shmem_finalize
// and the library's own clean-up both free the same memory.
void end_process(int status, void* /*unused*/) {
  finalise_mpi();
  std::fflush(nullptr);
  _exit(status);
}

// Open MPI reads the heap's size from this variable. Pages cost nothing before they are used.
void start(void (*finalise)()) {
  finalise_mpi = finalise;
  setenv("SHMEM_SYMMETRIC_HEAP_SIZE", "1G", 0);
  shmem_init();
  on_exit(end_process, nullptr);
}

// Collective, as shmem_malloc and shmem_free are. If the heap is full, returns false and leaves
// everything as it was.
template <class T>
bool grow(T*& array, std::int64_t& size, std::int64_t wanted) {
  if (wanted <= size) return true;
  const auto bytes = static_cast<std::size_t>(wanted) * sizeof(T);
  T* larger = static_cast<T*>(shmem_align(alignof(Flag), bytes));
  if (larger == nullptr) return false;
  const std::size_t kept = static_cast<std::size_t>(size) * sizeof(T);
  if (kept > 0) std::memcpy(larger, array, kept);
  std::memset(reinterpret_cast<std::byte*>(larger) + kept, 0, bytes - kept);
  shmem_barrier_all();
  if (array != nullptr) shmem_free(array);
  array = larger;
  size = wanted;
  return true;
}

void* open(std::int64_t bytes, std::int64_t count) {
  shmem_barrier_all();
  return grow(flags, flags_size, count) && grow(memory, memory_size, bytes) ? memory : nullptr;
}

void put(int peer, std::int64_t offset, const void* data, std::int64_t bytes) {
  shmem_putmem(memory + offset, data, static_cast<std::size_t>(bytes), peer);
}

void set_flag(int peer, std::int64_t flag, std::int64_t value, double clock) {
  shmem_double_p(&flags[flag].clock[value % 2], clock, peer);
  shmem_fence();
  shmem_long_atomic_set(&flags[flag].value, value, peer);
}

int test_flag(std::int64_t flag, std::int64_t value, double* clock) {
  if (!shmem_long_test(&flags[flag].value, SHMEM_CMP_GE, value)) return 0;
  std::atomic_thread_fence(std::memory_order_acquire);
  *clock = flags[flag].clock[value % 2];
  return 1;
}

void close() {
  if (memory == nullptr) return;
  shmem_free(memory);
  shmem_free(flags);
  memory = nullptr;
  flags = nullptr;
  memory_size = flags_size = 0;
}

constexpr PhasewiseTransport transport{
    .start = start,
    .rank = shmem_my_pe,
    .ranks = shmem_n_pes,
    .open = open,
    .put = put,
    .flush = shmem_quiet,
    .set_flag = set_flag,
    .test_flag = test_flag,
    .sync = shmem_barrier_all,
    .close = close,
};

}  // namespace

const PhasewiseTransport* phasewise_transport() { return &transport; }
