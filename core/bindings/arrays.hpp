// NumPy arrays that own what the core computed.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <utility>
#include <vector>

namespace phasewise::bindings {

namespace nb = nanobind;

using Array = nb::ndarray<nb::numpy, double>;

template <class T>
auto numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

inline Array to_array(std::vector<double>&& values, const std::vector<std::size_t>& shape) {
  auto* kept = new std::vector<double>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return Array(kept->data(), shape.size(), shape.data(), owner);
}

}  // namespace phasewise::bindings
