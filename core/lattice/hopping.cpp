#include "lattice/hopping.hpp"

#include "lattice/hopping_fast.hpp"
#include "lattice/hopping_plain.hpp"

namespace phasewise::lattice {

// Any even box can be cut into eight.
template <class Real>
std::unique_ptr<Hopping<Real>> Hopping<Real>::make(Kernel kernel, const HoppingShape& shape) {
  constexpr int lanes = vector_bytes / sizeof(Real);
  if (kernel == Kernel::plain) return std::make_unique<PlainHopping<Real>>(shape);
  if constexpr (lanes > 8)
    if (!SubBoxes::possible(shape.box, lanes)) return std::make_unique<FastHopping<Real, 8>>(shape);
  return std::make_unique<FastHopping<Real, lanes>>(shape);
}

template class Hopping<double>;
template class Hopping<float>;

}  // namespace phasewise::lattice
