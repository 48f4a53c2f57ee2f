// The pieces of a solve.
#pragma once

#include <cmath>
#include <string_view>
#include <vector>

#include "qcd/description.hpp"
#include "qcd/phases.hpp"
#include "workload/workload.hpp"

namespace phasewise::qcd {

// The iterations for a right-hand side that a plan expects if a study gives a tolerance.
inline constexpr double expected_iterations = 100.0;

inline double planned_iterations(const Description& description) {
  return description.tolerance > 0.0 ? expected_iterations
                                     : static_cast<double>(description.iterations);
}

// The updates from double precision that it expects: one for each digit and a third.
inline constexpr double expected_updates = 10.0;

inline double planned_updates(const Description& description) {
  return description.precision == Precision::mixed
             ? std::ceil(expected_updates * planned_iterations(description) / expected_iterations)
             : 0.0;
}

// New links come once per run, or with each solve of an ensemble. Each right-hand side is begun,
// iterated, with updates in mixed precision, and solved.
inline std::vector<workload::Piece> pieces_of(const Description& description) {
  using workload::Piece;
  std::vector<Piece> found;
  found.push_back({.name = pieces::links,
                   .kind = Piece::Kind::data_dependent,
                   .per = "configuration",
                   .expected = description.files > 1 ? 1.0 : 0.0,
                   .first = 1.0});
  for (int i = 0; i < description.right_sides(); ++i)
    found.push_back({.name = pieces::source, .kind = Piece::Kind::series, .index = i});
  // The first solve has as many iterations and updates as any other.
  const auto repeated = [&](std::string_view name, std::string_view per, double each) {
    const double expected = description.right_sides() * each;
    found.push_back({.name = name,
                     .kind = Piece::Kind::data_dependent,
                     .per = per,
                     .expected = expected,
                     .first = expected});
  };
  repeated(pieces::iteration, "iteration", planned_iterations(description));
  if (description.precision == Precision::mixed)
    repeated(pieces::update, "update", planned_updates(description));
  for (int i = 0; i < description.right_sides(); ++i)
    found.push_back({.name = pieces::solution, .kind = Piece::Kind::series, .index = i});
  return found;
}

}  // namespace phasewise::qcd
