// Fortran co-arrays as a transport, libphasewise_coarray.so. Everything but the start is in
// coarray.f90.
#include <cstdint>

#include "comm/transport.h"

extern "C" {
// The runtime's own start, which gfortran calls in a Fortran main program.
void _gfortran_caf_init(int* argc, char*** argv);  // NOLINT(readability-identifier-naming)

int coarray_rank();
int coarray_ranks();
void* coarray_open(std::int64_t bytes, std::int64_t flags);
void coarray_put(int peer, std::int64_t offset, const void* data, std::int64_t bytes);
void coarray_flush();
void coarray_set_flag(int peer, std::int64_t flag, std::int64_t value, double clock);
int coarray_test_flag(std::int64_t flag, std::int64_t value, double* clock);
void coarray_sync();
void coarray_close();
}

namespace {

// The runtime leaves MPI to whoever started it.
void start(void (* /*finalise*/)()) { _gfortran_caf_init(nullptr, nullptr); }

constexpr PhasewiseTransport transport{
    .start = start,
    .rank = coarray_rank,
    .ranks = coarray_ranks,
    .open = coarray_open,
    .put = coarray_put,
    .flush = coarray_flush,
    .set_flag = coarray_set_flag,
    .test_flag = coarray_test_flag,
    .sync = coarray_sync,
    .close = coarray_close,
};

}  // namespace

const PhasewiseTransport* phasewise_transport() { return &transport; }
