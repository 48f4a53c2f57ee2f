// Bindings of the calls of a recorded program in time.
#include "schedule/schedule.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace {

using phasewise::schedule::Measured;
using phasewise::schedule::Schedule;

template <class T>
using Row = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Row<T>& row) {
  return {row.data(), row.shape(0)};
}

std::vector<double> ends_without(const Row<std::int64_t>& first, const Row<double>& began,
                                 const Row<double>& ended, const Row<double>& start,
                                 const Row<double>& end, const Row<std::int64_t>& waits,
                                 const Row<std::int32_t>& waits_for, const Row<std::int32_t>& group,
                                 const Row<std::uint8_t>& role, const Row<std::int32_t>& labels,
                                 const std::vector<std::pair<std::int32_t, bool>>& without) {
  const Schedule schedule(Measured{.first = span_of(first),
                                   .began = span_of(began),
                                   .ended = span_of(ended),
                                   .start = span_of(start),
                                   .end = span_of(end),
                                   .waits = span_of(waits),
                                   .waits_for = span_of(waits_for),
                                   .group = span_of(group),
                                   .role = span_of(role)});
  const nb::gil_scoped_release others_run;
  std::vector<double> found;
  found.reserve(without.size());
  for (const auto& [label, gap] : without)
    found.push_back(schedule.end_without(span_of(labels), {.label = label, .gap = gap}));
  return found;
}

}  // namespace

void bind_schedule(nb::module_& m) {
  using namespace nb::literals;
  m.def("ends_without", &ends_without, "first"_a, "began"_a, "ended"_a, "start"_a, "end"_a,
        "waits"_a, "waits_for"_a, "group"_a, "role"_a, "labels"_a, "without"_a,
        "When a recorded program would end [s] if calls with a label, or the gaps before them, "
        "took no time, for each (label, whether gaps) of `without`. The other arguments are those "
        "of core/schedule/schedule.hpp.");
}
