// What a study says about a lattice, read from its flat parameters.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "qcd/dirac/smearing.hpp"
#include "qcd/gauge/gradient_flow.hpp"
#include "qcd/gauge/stout.hpp"
#include "qcd/layout.hpp"
#include "qcd/manner.hpp"
#include "qcd/solver/krylov.hpp"
#include "qcd/update/setting.hpp"
#include "workload/parameters.hpp"

namespace phasewise::qcd {

enum class Start : std::uint8_t { cold, hot, file };
enum class Precision : std::uint8_t { double_, single, mixed };

struct Description {
  Description() = default;
  // Throws std::invalid_argument with one sentence if a parameter cannot be used.
  explicit Description(const workload::Parameters& parameters);

  std::uint64_t seed = 1;
  Extents size{};
  Start start = Start::cold;
  std::int64_t files = 1;  // with start = file: how many solves have links of their own
  bool quarks = true;      // without them there is no solver
  QuarkAction action;
  Stout stout;                        // smears the quarks' links
  std::array<double, axes> phases{};  // of ψ(x + L), in units of π
  Method method = Method::cg;
  Precision precision = Precision::double_;
  double tolerance = 0.0;       // residual over that at the start; 0: fixed work
  std::int64_t iterations = 1;  // at most, or the fixed number
  bool pion = false;            // twelve right-hand sides, all spins and colours of a point
  Smearing smearing;            // smears the source
  bool rectangles = false;      // whether rectangles are measured
  FlowSetting flow;
  UpdateSetting update;
  std::vector<Extents> sources;  // the points of the solves in turn; none: random ones
  Extents grid{};                // zeros: the grid with the least surface
  Layout layout{};
  std::vector<double> places;  // number of each rank's place, for a layout from a file
  Manner manner;

  // The place of the source of a solve.
  Extents source(std::int64_t solve) const;
  int right_sides() const { return pion ? 12 : 1; }
  // Whether D x = b is solved for a source: in each turn, or where an update measures the pion.
  bool has_solver() const { return quarks && (!update.updates() || pion); }
  // The planes of the neighbours' links that are needed: rectangles are two links long.
  int halo() const {
    return rectangles || (update.updates() && update.gauge.rectangles != 0.0) ? 2 : 1;
  }
};

// The process grid of the study on this many ranks. Throws std::invalid_argument if there is none.
Extents grid_for(const Description& description, int ranks);

}  // namespace phasewise::qcd
