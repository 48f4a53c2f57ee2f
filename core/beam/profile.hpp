// Bunches given by the shape of their charge in phase space and by their second moments; each
// particle is a pure function of the seed and its id.
#pragma once

#include <cstdint>
#include <optional>

#include "beam/coordinates.hpp"
#include "beam/square.hpp"

namespace phasewise::beam {

enum class Profile : std::uint8_t {
  gaussian,
  waterbag,  // uniform in an ellipsoid of all six dimensions
  kv,        // on the surface of a transverse ellipsoid, uniform in z, Gaussian in delta:
             // Kapchinskij, Vladimirskij, 2nd Conf. High Energy Accel. (1959) 274
  uniform    // uniform in an ellipsoid of x, y, z, and in another one of the momenta
};

// One transverse plane: x = σ u, px = ε/σ (v - α u), with deviates u, v of rms 1. A cold plane,
// ε = 0, still has a size.
struct PlaneShape {
  double size = 0.0;       // σ, rms [m]
  double emittance = 0.0;  // ε [m]
  double alpha = 0.0;
  double dispersion = 0.0;        // m
  double dispersion_slope = 0.0;  // 1
};

struct ProfileDescription {
  Profile profile = Profile::gaussian;
  bool quiet = false;     // a scrambled Sobol sequence instead of independent numbers
  bool coasting = false;  // Gaussian only: uniform in z, as a KV bunch is, and not cut in delta
  PlaneShape x, y;
  double bunch_length = 0.0;     // rms of z [m]
  double momentum_spread = 0.0;  // rms of delta
  double cut = 0.0;              // Gaussian: largest amplitude of a plane, in rms; 0 = none
  double offset[6] = {0, 0, 0, 0, 0, 0};
  // If given, it replaces x, y, bunch_length and momentum_spread: a particle is Σ_k columns_k v_k
  // with deviates v of rms 1.
  std::optional<Square> columns{};
};

// Sets the coordinates of particles whose ids are set.
void fill(ParticleView particles, const ProfileDescription& bunch, std::uint64_t seed);

}  // namespace phasewise::beam
