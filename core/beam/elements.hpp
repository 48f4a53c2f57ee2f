// The elements of an arc are small values, each with a `push` of one particle.
//
// Conventions (docs/physics.md): canonical pairs (x, px), (y, py), (z, delta); a lost particle has
// six NaN coordinates, and every push keeps them so.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "beam/coordinates.hpp"
#include "beam/linear_optics.hpp"
#include "beam/streams.hpp"
#include "numerics/constants.hpp"
#include "numerics/elementary.hpp"
#include "numerics/normal.hpp"
#include "parallel/macros.hpp"

namespace phasewise::beam {

// Transverse map between two places, the flow of 2π [(μ + Q' δ)·J + J·a·J/2] in the normalised
// coordinates of the dispersion-free part; a is symmetric. The phase advances by
// 2π (μ + Q' δ + a J), and z by 2π Q'·J, which makes the map symplectic.
struct Twiss {
  Optics from, to;
  double phase_x, phase_y;                // turns
  double chromaticity_x, chromaticity_y;  // Q' = dQ/dδ
  double a_xx, a_xy, a_yy;                // 1/m

  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const {
    using numerics::two_pi;
    Coordinates n = normalise(c, from);
    const double jx = 0.5 * (n.x * n.x + n.px * n.px);
    const double jy = 0.5 * (n.y * n.y + n.py * n.py);
    double sin_x, cos_x, sin_y, cos_y;
    numerics::sincos_turns(phase_x + (chromaticity_x * n.delta + (a_xx * jx + a_xy * jy)), sin_x,
                           cos_x);
    numerics::sincos_turns(phase_y + (chromaticity_y * n.delta + (a_xy * jx + a_yy * jy)), sin_y,
                           cos_y);
    n.z = n.z + two_pi * (chromaticity_x * jx + chromaticity_y * jy);
    const double x = n.x * cos_x + n.px * sin_x;
    const double y = n.y * cos_y + n.py * sin_y;
    n.px = n.px * cos_x - n.x * sin_x;
    n.py = n.py * cos_y - n.y * sin_y;
    n.x = x;
    n.y = y;
    c = denormalise(n, to);
  }
};

// Linear synchrotron motion: z → cos μ z - β_z sin μ δ, δ → sin μ z/β_z + cos μ δ. μ > 0 above
// transition, where a particle with δ > 0 falls behind.
struct Synchrotron {
  double sine, cosine;  // of μ
  double beta_z;        // m

  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const {
    const double z = cosine * c.z - beta_z * sine * c.delta;
    c.delta = (sine / beta_z) * c.z + cosine * c.delta;
    c.z = z;
  }
};

// One turn of a sinusoidal voltage, then of slip: δ → δ + κ [sin 2π(φ + k z) - sin 2πφ],
// z → z - η C δ. The reference particle regains in the cavity what it loses around the ring.
struct RadioFrequency {
  double kick;         // κ = q V/(β² E)
  double phase;        // φ, turns
  double wave_number;  // k = f/(β c), turns/m
  double reference;    // sin 2πφ
  double slip_length;  // η C, m

  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const {
    double sine, cosine;
    numerics::sincos_turns(phase + wave_number * c.z, sine, cosine);
    c.delta = c.delta + kick * (sine - reference);
    c.z = c.z - slip_length * c.delta;
  }
};

// Radiation damping and quantum excitation, u → λ u + σ sqrt(1 - λ²) g for every normalised
// coordinate u, with λ = exp(-1/τ): amplitudes damp in τ turns, emittances in τ/2.
struct Damping {
  Optics optics;
  double lambda_x, lambda_y, lambda_z;
  double excitation_x, excitation_y;      // sqrt(m), in normalised coordinates
  double excitation_z, excitation_delta;  // m, 1

  PHASEWISE_HD void push(Coordinates& c, std::uint32_t id, const PushContext& at) const {
    double g0, g1, g2, g3, g4, g5;
    draw(id, at, 0, g0, g1);
    draw(id, at, 1, g2, g3);
    draw(id, at, 2, g4, g5);
    Coordinates n = normalise(c, optics);
    n.x = lambda_x * n.x + excitation_x * g0;
    n.px = lambda_x * n.px + excitation_x * g1;
    n.y = lambda_y * n.y + excitation_y * g2;
    n.py = lambda_y * n.py + excitation_y * g3;
    n.z = lambda_z * n.z + excitation_z * g4;
    n.delta = lambda_z * n.delta + excitation_delta * g5;
    c = denormalise(n, optics);
  }

 private:
  PHASEWISE_HD static void draw(std::uint32_t id, const PushContext& at, std::uint32_t number,
                                double& g0, double& g1) {
    numerics::normal_pair(at.seed, id, at.turn, streams::excitation,
                          draw_index(at.beam, at.element, number), g0, g1);
  }
};

PHASEWISE_HD void keep_or_lose(Coordinates& c, bool inside) {
  constexpr double lost = std::numeric_limits<double>::quiet_NaN();
  c.x = inside ? c.x : lost;
  c.px = inside ? c.px : lost;
  c.y = inside ? c.y : lost;
  c.py = inside ? c.py : lost;
  c.z = inside ? c.z : lost;
  c.delta = inside ? c.delta : lost;
}

// Particles with (x/a_x)² + (y/a_y)² > 1 are lost.
struct EllipticAperture {
  double half_width_x, half_width_y;  // m

  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const {
    const double u = c.x / half_width_x;
    const double v = c.y / half_width_y;
    keep_or_lose(c, u * u + v * v <= 1.0);
  }
};

// Particles with |x| > a_x or |y| > a_y are lost.
struct RectangularAperture {
  double half_width_x, half_width_y;  // m

  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext&) const {
    const double u = std::fabs(c.x) / half_width_x;
    const double v = std::fabs(c.y) / half_width_y;
    keep_or_lose(c, (u > v ? u : v) <= 1.0);
  }
};

// One plane of a transverse feedback: it removes the fraction g of the centroid's normalised
// momentum, px → px - g (α x̄ + β p̄x + n ξ)/β, which damps a coherent oscillation by g/2. n is the
// rms error (m) of each normalised reading, α and β those of the place where the centroid was
// measured.
struct PlaneFeedback {
  double gain;
  double noise;  // m
  double beta;   // m
  double alpha;

  PHASEWISE_HD double kick(double position, double momentum, double deviate) const {
    return -gain * ((alpha * position + beta * momentum) + noise * deviate) / beta;
  }
};

// Corrects the centroid measured at the last interaction point.
struct Feedback {
  PlaneFeedback x, y;

  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext& at) const {
    double g0, g1;
    numerics::normal_pair(at.seed, 0, at.turn, streams::feedback,
                          draw_index(at.beam, at.element, 0), g0, g1);
    c.px = c.px + x.kick(at.centroid[0], at.centroid[1], g0);
    c.py = c.py + y.kick(at.centroid[2], at.centroid[3], g1);
  }
};

// White noise on position and angle, one deviate a turn for the whole beam.
struct BeamNoise {
  double x, px, y, py;  // rms, m and 1

  PHASEWISE_HD void push(Coordinates& c, std::uint32_t, const PushContext& at) const {
    double g0, g1, g2, g3;
    numerics::normal_pair(at.seed, 0, at.turn, streams::beam_noise,
                          draw_index(at.beam, at.element, 0), g0, g1);
    numerics::normal_pair(at.seed, 0, at.turn, streams::beam_noise,
                          draw_index(at.beam, at.element, 1), g2, g3);
    c.x = c.x + x * g0;
    c.px = c.px + px * g1;
    c.y = c.y + y * g2;
    c.py = c.py + py * g3;
  }
};

}  // namespace phasewise::beam
