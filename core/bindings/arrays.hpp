// NumPy arrays that own what the core computed.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <vector>

namespace phasewise::bindings {

namespace nb = nanobind;

using Array = nb::ndarray<nb::numpy, double>;

inline Array to_array(std::vector<double>&& values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<double>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return Array(kept->data(), shape, owner);
}

}  // namespace phasewise::bindings
