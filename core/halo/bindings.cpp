// A run of halo exchanges as Python sees it: the array of this rank.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "halo/turn.hpp"

namespace nb = nanobind;

namespace phasewise::halo {
namespace {

using Run = workload::PlannedRun<Turn>;

template <class Word>
nb::object view(Turn& turn, const nb::object& owner) {
  const auto width = static_cast<std::size_t>(turn.description().width());
  return nb::cast(nb::ndarray<nb::numpy, Word, nb::ndim<2>>(reinterpret_cast<Word*>(turn.array()),
                                                            {width, width}, owner));
}

nb::object array_of(const nb::object& self) {
  Turn& turn = nb::cast<Run&>(self).turn_of_rank();
  return turn.description().word == 8 ? view<double>(turn, self) : view<float>(turn, self);
}

}  // namespace

void bind(nb::module_& m) {
  nb::class_<Run, workload::Run>(m, "HaloRun", "Halo exchanges, one after the other.")
      .def("array", &array_of,
           "This rank's array with its halo, [y][x], without a copy; the first and the last "
           "`rows` rows and columns are the halo.");
}

}  // namespace phasewise::halo
