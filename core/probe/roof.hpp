// The machine's roof, measured: memory bandwidth and floating-point rate of this many threads.
// Williams, Waterman, Patterson, Commun. ACM 52 (2009) 65; the bandwidth kernel is STREAM's triad
// (McCalpin 1995).
#pragma once

namespace phasewise::probe {

struct Roof {
  double bytes_per_second;
  double flops_per_second;
};

// Takes about a second; the best of several passes.
Roof measure_roof(int threads);

}  // namespace phasewise::probe
