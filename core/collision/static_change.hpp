// What a particle on the design orbit gets from the other beam's bunch: the static part of a kick,
// which a machine's orbit correction takes out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "beam/coordinates.hpp"
#include "collision/description.hpp"

namespace phasewise::collision {

// The change of the six coordinates of a particle of `beam` on the design orbit in a passage of
// interaction point `ip`. The other bunch is a Gaussian with its design moments, on the design
// orbit too if it is tracked, and at its offset if it is strong. The design orbit is that on which
// the bunches start, apart from their offsets.
beam::Coordinates static_change(const Description& description, int ip, int beam,
                                std::int64_t turn);

// Remembers the change, which stays as long as the separation and the other beam's population do.
class StaticChange {
 public:
  const beam::Coordinates& at(const Description& description, int ip, int beam, std::int64_t turn);

 private:
  std::optional<std::array<double, 2>> separation_{};
  double population_ = 0.0;
  beam::Coordinates change_{};
};

}  // namespace phasewise::collision
