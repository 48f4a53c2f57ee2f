// Random fields of a quark monomial, and its sums.
#pragma once

#include <functional>
#include <vector>

#include "qcd/dirac/halo_hopping.hpp"
#include "qcd/update/momenta.hpp"
#include "qcd/update/quark/spinor_sites.hpp"

namespace phasewise::qcd {

// Sets a field on even sites to η, whose components have ⟨|η|²⟩ = 1, with this stream
// (random_streams.hpp).
void draw_spinors(const UpdateFields& fields, const SpinorSites& sites, std::uint32_t stream,
                  std::int64_t trajectory, Field<double>& to, workload::Listener& listener);

// a |φ|² + b Re φ† x over the even sites of all ranks; infinite if it is not a number.
double quark_action(const UpdateFields& fields, int lanes, double a, double b,
                    const Field<double>& phi, const Field<double>& x, workload::Listener& listener);

// The sum of a term of each site of one parity, on all ranks; infinite if one is not a number.
// fill() gives this rank's.
double total_of_terms(const UpdateFields& fields, const parallel::KernelCard& card, double items,
                      const std::function<void(std::vector<double>&)>& fill,
                      workload::Listener& listener);

}  // namespace phasewise::qcd
