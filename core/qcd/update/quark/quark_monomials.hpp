// All terms of the action that come from quarks.
#pragma once

#include <memory>
#include <vector>

#include "qcd/update/monomial.hpp"
#include "qcd/update/quark/quark_system.hpp"

namespace phasewise::qcd {

struct QuarkMonomials {
  std::unique_ptr<QuarkSystem> system;
  // quarks, hasenbusch_1, …: the order of terms_of().
  std::vector<std::unique_ptr<Monomial>> monomials;
};

// The heaviest factor takes the determinant of a clover term with it, since their clover forces
// cost no more together than one of them. Description and fields must outlive them.
QuarkMonomials make_quark_monomials(
    const Description& description, const UpdateSetting& setting, UpdateFields& fields,
    QuarkSystem::Determinant determinant = QuarkSystem::Determinant::with);

}  // namespace phasewise::qcd
