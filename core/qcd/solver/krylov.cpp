#include "qcd/solver/krylov.hpp"

#include "qcd/solver/conjugate_gradient.hpp"
#include "qcd/solver/stabilised_gradient.hpp"

namespace phasewise::qcd {

template <class Real>
std::unique_ptr<Krylov<Real>> make_krylov(Method method, Dirac<Real>& matrix, Sums sums) {
  if (method == Method::cg) return std::make_unique<ConjugateGradient<Real>>(matrix, sums);
  return std::make_unique<StabilisedGradient<Real>>(matrix, sums);
}

template std::unique_ptr<Krylov<double>> make_krylov<double>(Method, Dirac<double>&, Sums);
template std::unique_ptr<Krylov<float>> make_krylov<float>(Method, Dirac<float>&, Sums);

}  // namespace phasewise::qcd
