// The RF bucket: which particles the RF holds together.
//
// With δ → δ + κ [sin 2π(φ + kz) - sin 2πφ], z → z - ηCδ, slow motion keeps |η|C δ²/2 + U(z), where
// U = ± κ {[cos 2πφ - cos 2π(φ + kz)]/2πk - z sin 2πφ} with the sign of η. U has barriers at
// kz = 1/2 - 2φ and one period of the RF behind; the contour through the lower one is the
// separatrix (S. Y. Lee, Accelerator Physics, section 3.II).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "beam/coordinates.hpp"
#include "beam/line.hpp"
#include "numerics/constants.hpp"
#include "numerics/elementary.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::beam {

struct Bucket {
  double kick = 0.0;                // ± κ
  double phase = 0.0;               // φ, turns
  double wave_number = 0.0;         // k, turns/m
  double inertia = 0.0;             // |η|C/2, m
  double sine = 0.0, cosine = 1.0;  // of 2πφ
  double back = 0.0, front = 0.0;   // barriers, m
  double separatrix = 0.0;          // U at the lower barrier, m

  PHASEWISE_HD double potential(double z) const {
    using numerics::two_pi;
    double s, c;
    numerics::sincos_turns(phase + wave_number * z, s, c);
    return kick * ((cosine - c) / (two_pi * wave_number) - z * sine);
  }

  // U rises from its only minimum between the barriers to each of them. Between the barriers, what
  // lies below the separatrix is therefore one bucket; beyond a barrier lies another one.
  PHASEWISE_HD bool holds(double z, double delta) const {
    return (z > back) & (z < front) & (inertia * delta * delta + potential(z) < separatrix);
  }
};

// Finds the bucket of the RF in a beam's lines. There is none unless the lines have exactly one
// `rf` element, and this element has slip and focuses.
std::optional<Bucket> find_bucket(const std::vector<Line>& segments);

// Counts the debunched particles, those outside the bucket.
std::int64_t count_debunched(const ParticleView& block, const Bucket& bucket);

// One item is a particle.
parallel::KernelCard debunched_card();

}  // namespace phasewise::beam
