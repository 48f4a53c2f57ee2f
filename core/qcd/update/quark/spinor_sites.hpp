// The sites of a field's vectors with their neighbours ahead, for loops over vectors of sites.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "qcd/dirac/field_sites.hpp"
#include "qcd/geometry.hpp"

namespace phasewise::qcd {

class SpinorSites {
 public:
  SpinorSites() = default;
  SpinorSites(const Domain& domain, const Hopping<double>& kernel);

  int lanes() const { return sites_.lanes(); }
  std::int64_t vectors() const { return sites_.vectors(); }
  // The numbers of the sites of a vector in the rank's box, x fastest.
  const std::int32_t* sites(int parity, std::int64_t vector) const {
    return sites_.sites(parity, vector);
  }
  // The neighbours ahead along an axis, as slots in the field of the other parity; below 0 at the
  // edge of a split axis: -1 - (number of the site in the face).
  const std::int32_t* ahead(int parity, std::int64_t vector, int axis) const {
    return ahead_[static_cast<std::size_t>(parity)].data() + (vector * axes + axis) * lanes();
  }
  // Whether the link ahead along an axis crosses the lattice's edge, a bit for each axis.
  const std::uint8_t* crossings(int parity, std::int64_t vector) const {
    return crossings_[static_cast<std::size_t>(parity)].data() + vector * lanes();
  }

 private:
  FieldSites sites_;
  std::array<std::vector<std::int32_t>, 2> ahead_;
  std::array<std::vector<std::uint8_t>, 2> crossings_;
};

// The number of a site's place in a face across an axis, both parities counted, x fastest.
inline std::int64_t whole_face_site_of(const Extents& box, int axis, Extents at) {
  Extents face = box;
  face[axis] = 1;
  at[axis] = 0;
  return site_of(face, at);
}

}  // namespace phasewise::qcd
