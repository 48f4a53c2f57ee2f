// The machine's roof, measured: the memory bandwidth and floating-point rate of this many threads.
// Williams, Waterman, Patterson, Commun. ACM 52 (2009) 65; the kernel for main memory is STREAM's
// triad (McCalpin 1995).
#pragma once

#include <cstdint>

namespace phasewise::probe {

struct Roof {
  double bytes_per_second;
  double flops_per_second;
  double single_flops_per_second;  // in single precision
};

// Takes about a second; the result is the best of several passes.
Roof measure_roof(int threads);

// The present flops per second of multiply-adds, as the median of a millisecond or two. A
// processor's clock changes, and another program may share the core, so that a kernel is compared
// with what its core does between its calls.
double measure_present_rate(int threads);

// The present bytes per second of a triad, the mean over a tenth of a second, on 48 MiB: less than
// `measure_roof` finds where others use the memory too, or more where a large cache holds it all.
double measure_present_bandwidth(int threads);

// The bytes per second that these threads read and write on arrays with this number of bytes
// together: the better of two loops that change arrays in place. No line is read only to be
// overwritten, so that the rate is higher than that of a triad.
double measure_bandwidth(int threads, std::int64_t bytes);

}  // namespace phasewise::probe
