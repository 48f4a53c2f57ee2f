// A run of halo exchanges as Python sees it: the array of this rank.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "halo/run.hpp"

namespace nb = nanobind;

namespace phasewise::halo {
namespace {

template <class Word>
nb::object view(Run& run, const nb::object& owner) {
  const auto width = static_cast<std::size_t>(run.description().width());
  return nb::cast(nb::ndarray<nb::numpy, Word, nb::ndim<2>>(reinterpret_cast<Word*>(run.array()),
                                                            {width, width}, owner));
}

nb::object array_of(const nb::object& self) {
  Run& run = nb::cast<Run&>(self);
  return run.description().word == 8 ? view<double>(run, self) : view<float>(run, self);
}

}  // namespace

void bind(nb::module_& m) {
  nb::class_<Run, workload::Run>(m, "HaloRun", "Halo exchanges, one after the other.")
      .def("array", &array_of,
           "This rank's array with its halo, [y][x], without a copy; the first and the last "
           "`rows` rows and columns are the halo.");
}

}  // namespace phasewise::halo
