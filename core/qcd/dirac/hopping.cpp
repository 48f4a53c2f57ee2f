#include "qcd/dirac/hopping.hpp"

#include "qcd/dirac/hopping_fast.hpp"
#include "qcd/dirac/hopping_plain.hpp"

namespace phasewise::qcd {

// Any even box can be cut into eight.
template <class Real>
std::unique_ptr<Hopping<Real>> Hopping<Real>::make(Kernel kernel, const HoppingShape& shape) {
  constexpr int lanes = parallel::vector_bytes / sizeof(Real);
  if (kernel == Kernel::plain) return std::make_unique<PlainHopping<Real>>(shape);
  const auto fast = [&]<int Rows>() -> std::unique_ptr<Hopping<Real>> {
    if constexpr (lanes > 8)
      if (!SubBoxes::possible(shape.box, lanes))
        return std::make_unique<FastHopping<Real, 8, Rows>>(shape);
    return std::make_unique<FastHopping<Real, lanes, Rows>>(shape);
  };
  return shape.two_rows ? fast.template operator()<2>() : fast.template operator()<3>();
}

template class Hopping<double>;
template class Hopping<float>;

}  // namespace phasewise::qcd
