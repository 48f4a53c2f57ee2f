#include "qcd/update/quark/quark_monomials.hpp"

#include <string>
#include <utility>

#include "qcd/update/quark/quark_monomial.hpp"

namespace phasewise::qcd {

QuarkMonomials make_quark_monomials(const Description& description, const UpdateSetting& setting,
                                    UpdateFields& fields, QuarkSystem::Determinant determinant) {
  QuarkMonomials found{std::make_unique<QuarkSystem>(description, fields), {}};
  const std::size_t masses = setting.hasenbusch.size();
  for (std::size_t number = 0; number <= masses; ++number) {
    QuarkTerm term{.name = number == 0 ? "quarks" : "hasenbusch_" + std::to_string(number),
                   .number = static_cast<int>(number),
                   .mass = number == 0 ? 0.0 : setting.hasenbusch[number - 1],
                   .force_tolerance = setting.force_tolerance,
                   .action_tolerance = setting.action_tolerance};
    if (number < masses)
      term.heavier = setting.hasenbusch[number];
    else if (description.action.clover())
      term.determinant = determinant;
    found.monomials.push_back(
        std::make_unique<QuarkMonomial>(fields, *found.system, std::move(term)));
  }
  return found;
}

}  // namespace phasewise::qcd
