// Which terms the action of an update has, and at which level of the integrator each moves the
// momenta.
#pragma once

#include <string>
#include <vector>

#include "qcd/update/setting.hpp"

namespace phasewise::qcd {

struct Term {
  std::string name;
  int level;
  bool solves;
  int solves_of_refresh;  // at the start of a trajectory
};

// The determinant of M†M is a product of ratios, from the lightest quarks to the heaviest factor,
// each with a level of its own (M. Hasenbusch, Phys. Lett. B 519 (2001) 177): quarks, hasenbusch_1,
// …; a ratio solves once for its pseudofermions. The gauge field moves at the last level.
inline std::vector<Term> terms_of(const UpdateSetting& setting) {
  std::vector<Term> terms;
  int level = 0;
  if (setting.has_quarks()) {
    const int factors = static_cast<int>(setting.hasenbusch.size());
    for (; level <= factors; ++level)
      terms.push_back({level == 0 ? "quarks" : "hasenbusch_" + std::to_string(level), level, true,
                       level < factors ? 1 : 0});
  }
  terms.push_back({"gauge", level, false, 0});
  return terms;
}

inline int levels_of(const UpdateSetting& setting) {
  return setting.has_quarks() ? static_cast<int>(setting.hasenbusch.size()) + 2 : 1;
}

}  // namespace phasewise::qcd
