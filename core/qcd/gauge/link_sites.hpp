// The sites of a rank with their neighbours, as numbers in the array of its links.
#pragma once

#include <cstdint>
#include <vector>

#include "qcd/gauge/links.hpp"

namespace phasewise::qcd {

// Throws std::invalid_argument with one sentence if the box has more than 2³¹ sites, which these
// numbers cannot tell apart.
void check_numbered(const HaloBox& box);

class LinkSites {
 public:
  LinkSites() = default;
  // The box may have any halo; throws what check_numbered() throws.
  explicit LinkSites(const HaloBox& box);
  explicit LinkSites(const Links& links) : LinkSites(links.box()) {}

  // The rank's own sites, x fastest.
  const std::vector<std::int32_t>& own() const { return own_; }
  // The neighbour of a site forwards or backwards; -1 beyond the halo.
  std::int32_t ahead(std::int32_t site, int axis) const { return ahead_[place(site, axis)]; }
  std::int32_t behind(std::int32_t site, int axis) const { return behind_[place(site, axis)]; }

 private:
  static std::size_t place(std::int64_t site, int axis) {
    return static_cast<std::size_t>(axes * site + axis);
  }
  std::vector<std::int32_t> own_, ahead_, behind_;
};

}  // namespace phasewise::qcd
