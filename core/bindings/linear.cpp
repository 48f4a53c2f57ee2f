// Products of dense and sparse matrices, for tests against NumPy.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include "linear/multiply.hpp"
#include "linear/sparse.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;
template <class T>
using Table = nb::ndarray<T, nb::ndim<2>, nb::device::cpu>;

template <class T>
linear::View<T> view_of(const Table<T>& array) {
  return {array.data(), static_cast<std::int64_t>(array.shape(0)),
          static_cast<std::int64_t>(array.shape(1)), array.stride(0), array.stride(1)};
}

void multiply(const Table<const double>& a, const Table<const double>& b, const Table<double>& c,
              bool add) {
  if (a.shape(1) != b.shape(0) || a.shape(0) != c.shape(0) || b.shape(1) != c.shape(1))
    throw std::invalid_argument("the shapes of the matrices do not fit");
  linear::Panels panels;
  linear::multiply(view_of(a), view_of(b), view_of(c), add ? linear::Into::add : linear::Into::set,
                   panels);
}

std::vector<double> sparse_product(const std::vector<std::int64_t>& start,
                                   const std::vector<std::int32_t>& column,
                                   const std::vector<double>& value, const std::vector<double>& x,
                                   std::int64_t window) {
  const linear::Csr a{start, column, value};
  std::vector<double> y(static_cast<std::size_t>(a.rows()));
  if (window == 0)
    linear::multiply(a, x.data(), y.data());
  else
    linear::multiply(linear::sell_of(a, window), x.data(), y.data());
  return y;
}

}  // namespace

void bind_linear(nb::module_& m) {
  m.def("multiply", &multiply, nb::arg("a"), nb::arg("b"), nb::arg("c").noconvert(),
        nb::arg("add") = false, "c = a b, or c += a b; matrices with any strides.");
  m.def("sparse_product", &sparse_product, nb::arg("start"), nb::arg("column"), nb::arg("value"),
        nb::arg("x"), nb::arg("window") = 0,
        "A x of a matrix in compressed rows. window: 0 goes row by row, else it is the σ of "
        "SELL-C-σ.");
}
