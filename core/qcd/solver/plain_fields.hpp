// The Dirac operator and its solver on fields in plain order, [site][spin][colour][re, im], with x
// fastest among a rank's sites.
#pragma once

#include <vector>

#include "qcd/solver/solver.hpp"

namespace phasewise::qcd {

// D psi or D† psi.
std::vector<double> applied(Dirac<double>& matrix, const double* psi, bool dagger,
                            workload::Listener& listener);

// The length of a field over all ranks; its bits do not depend on them.
double length_of(const std::vector<double>& field, const Domain& domain, int threads,
                 workload::Listener& listener);

// x of D x = b, where b has this length over all ranks; solver.solved() says how it went.
std::vector<double> solution_for(Solver& solver, const std::vector<double>& b, double length,
                                 workload::Listener& listener);

}  // namespace phasewise::qcd
