// Bindings of sums that do not depend on the order of their terms: the accumulator, the rounds, and
// sums over the ranks of this run.
#include "workload/global_sum.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "workload/live.hpp"

namespace nb = nanobind;

namespace phasewise::bindings {
namespace {

using numerics::LongAccumulator;
using Terms = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

exchange::SumAlgorithm sum_algorithm(const std::string& name) {
  const auto& names = exchange::sum_algorithms();
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw std::invalid_argument("there is no way to sum called '" + name + "'");
  return static_cast<exchange::SumAlgorithm>(found - names.begin());
}

double exact_sum(const nb::ndarray<const double, nb::ndim<1>, nb::c_contig>& terms,
                 bool one_by_one) {
  LongAccumulator sum;
  const std::span<const double> all(terms.data(), terms.size());
  if (!one_by_one) sum.add(all);
  for (std::size_t i = 0; one_by_one && i < all.size(); ++i) sum.add(all[i]);
  return sum.value();
}

nb::list transfers(const std::vector<exchange::Transfer>& from) {
  nb::list result;
  for (const exchange::Transfer& t : from) result.append(nb::make_tuple(t.peer, t.chunks));
  return result;
}

nb::dict sum_rounds(const std::string& algorithm, int me, const std::vector<int>& nodes) {
  const exchange::SumRounds found = exchange::sum_rounds(sum_algorithm(algorithm), me, nodes);
  const auto list_of = [](const exchange::Rounds& rounds) {
    nb::list result;
    for (const exchange::Round& round : rounds) {
      nb::dict here;
      here["sends"] = transfers(round.sends);
      here["receives"] = transfers(round.receives);
      result.append(here);
    }
    return result;
  };
  nb::dict result;
  result["added"] = list_of(found.added);
  result["stored"] = list_of(found.stored);
  result["result"] = found.result;
  return result;
}

// Sums over all ranks of the run, with records of their own.
class GlobalSums {
 public:
  GlobalSums(const std::string& algorithm, int sums, const std::vector<int>& nodes)
      : session_(workload::Parameters::parse(""), 1),
        live_(session_),
        sum_({.phase = "sum", .algorithm = sum_algorithm(algorithm)}, session_.team,
             nodes.empty() ? session_.nodes : nodes, sums),
        sums_(static_cast<std::size_t>(sums)) {
    session_.set_teams({{session_.team, 0}});
    session_.executor->prepare(sum_.exchanges());
  }

  // `terms` has shape (sums, n) and holds this rank's terms.
  Array run(const Terms& terms, bool blocking) {
    std::vector<LongAccumulator> parts(sums_);
    for (std::size_t k = 0; k < sums_; ++k)
      for (std::size_t i = 0; i < terms.shape(1); ++i) parts[k].add(terms(k, i));
    std::vector<double> found(sums_);
    if (blocking) {
      sum_.run(live_, parts, found);
    } else {
      sum_.start(live_, parts);
      sum_.progress(live_);
      sum_.finish(live_, found);
    }
    return to_array(std::move(found), {sums_});
  }
  std::string record() const { return session_.recorder.to_json({.rank = session_.world.rank()}); }

 private:
  workload::Session session_;
  workload::Live live_;
  workload::GlobalSum sum_;
  std::size_t sums_;
};

}  // namespace
}  // namespace phasewise::bindings

void bind_global_sum(nb::module_& m) {
  using phasewise::bindings::GlobalSums;
  m.def("exact_sum", &phasewise::bindings::exact_sum, nb::arg("terms"),
        nb::arg("one_by_one") = false,
        "The sum of doubles (n,), rounded once; one_by_one: as a few terms are added.");
  m.def("sum_rounds", &phasewise::bindings::sum_rounds, nb::arg("algorithm"), nb::arg("me"),
        nb::arg("nodes"),
        "The rounds of member `me` in a sum that all members get; the members are on the given "
        "nodes (p,). `added` and `stored` are lists as of reduce_rounds with chunks 0 and 1; "
        "`result` is the chunk that holds the sum.");
  nb::class_<GlobalSums>(m, "GlobalSums", "Sums over all ranks of a run. Collective.")
      .def(nb::init<const std::string&, int, const std::vector<int>&>(), nb::arg("algorithm"),
           nb::arg("sums"), nb::arg("nodes") = std::vector<int>())
      .def("run", &GlobalSums::run, nb::arg("terms"), nb::arg("blocking") = true,
           "The sums (sums,) over all ranks' terms; `terms` (sums, n) are those of this rank.")
      .def("record", &GlobalSums::record, "The record, one line of JSON.");
}
