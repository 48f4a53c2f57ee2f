// Particles as arrays of Python, without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <type_traits>

#include "beam/coordinates.hpp"

namespace phasewise::bindings {

// The arrays x px y py z delta and id; `owner` keeps their memory.
inline nanobind::dict arrays_of(const beam::ParticleView& particles,
                                const nanobind::object& owner) {
  namespace nb = nanobind;
  nb::dict result;
  const auto size = static_cast<std::size_t>(particles.size);
  const auto add = [&](const char* name, auto* values) {
    using Value = std::remove_pointer_t<decltype(values)>;
    result[name] = nb::ndarray<nb::numpy, Value, nb::ndim<1>>(values, {size}, owner);
  };
  add("x", particles.x);
  add("px", particles.px);
  add("y", particles.y);
  add("py", particles.py);
  add("z", particles.z);
  add("delta", particles.delta);
  add("id", particles.id);
  return result;
}

}  // namespace phasewise::bindings
