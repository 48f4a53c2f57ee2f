// The interface of a workload without MPI: its phases, the pieces of a turn, and the actions of
// each rank in them. The plan, the models and the simulated machines know nothing else about a
// workload.
#pragma once

#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exchange/team.hpp"
#include "workload/bunches.hpp"
#include "workload/listener.hpp"
#include "workload/phase.hpp"
#include "workload/value.hpp"

namespace phasewise::workload {

// A part of a turn. A turn consists of its pieces in order; a data-dependent piece occurs, at its
// place in the order, as often as the data require.
struct Piece {
  enum class Kind {
    once,
    series,         // one of many like it: some may be sampled, or stand for others
    data_dependent  // a run records how often it occurs; a plan gets that number
  };
  std::string_view name;
  Kind kind = Kind::once;
  std::string_view per = "turn";  // for a data-dependent piece, its unit: a new mesh, …
  int part = 0;   // the part of the turn it belongs to, such as an interaction point
  int index = 0;  // of its series
  // In a series, pieces of the same size count as alike, and time is interpolated between sizes.
  double size = 1.0;
  // How often a data-dependent piece occurs in a turn, if nothing else is known.
  double expected = 0.0;
  // How often a data-dependent piece occurs in the first turn of a run, on the rank where it occurs
  // most often.
  double first = 0.0;
  // Whether a data-dependent piece occurs inside of others, which report it as often as the first
  // turn of a run has it (Listener::if_needed). Told alone, it is reported once.
  bool inside = false;
};

// The turn of one rank. tell() reports the actions of a piece to the listener; the caller goes
// through the pieces in the order of the turn.
class RankTurn {
 public:
  virtual ~RankTurn() = default;
  virtual void tell(const Piece& piece, Listener& listener) = 0;
};

// How evenly the ranks share something: for each group of ranks, the largest share over the mean
// share.
struct Load {
  std::string name;
  std::vector<double> values;
};

// The node of each rank.
using Nodes = std::vector<int>;

// A study on the ranks of these nodes.
class Workload {
 public:
  explicit Workload(Nodes nodes) : nodes_(std::move(nodes)) {}
  virtual ~Workload() = default;

  int ranks() const { return static_cast<int>(nodes_.size()); }
  int node(int rank) const { return nodes_[rank]; }
  const Nodes& nodes() const { return nodes_; }

  // The phases in the order in which they are shown.
  virtual std::vector<Phase> phases() const = 0;
  virtual std::vector<Piece> pieces() const = 0;
  virtual std::unique_ptr<RankTurn> turn_of(int rank) const = 0;
  // Whether a turn is a whole run: all ranks begin it together, and no other one follows.
  virtual bool once() const { return false; }
  // The shapes of the ranks' grids, one for each group with a grid of its own; by default one row.
  virtual std::vector<std::vector<int>> process_grid() const { return {{ranks(), 1}}; }
  // The coordinates of a rank in its grid.
  virtual std::vector<int> place(int rank) const { return {rank, 0}; }
  // The order in which the ranks are numbered in their grid.
  virtual std::string layout() const { return "row-first"; }
  // The keys communication.<key> that say how the ranks exchange.
  virtual std::vector<std::string> exchange_keys() const { return {}; }
  // This rank's team in every division of the ranks into teams that call the MPI library together.
  // `all` is the team of all ranks of the study, of which this rank is the member `me`.
  virtual std::vector<exchange::TeamOfDivision> teams(const exchange::TeamPointer& /*all*/) const {
    return {};
  }
  virtual std::vector<Load> loads() const { return {}; }
  // Ranks that include, for every phase, one that sends the most in it; all ranks if they are few.
  virtual std::vector<int> typical_ranks() const = 0;
  // The bunches that the workload makes and can hand on to the other parts of a composite.
  virtual std::vector<SharedBunch> bunches() const { return {}; }
  // The record of a turn of a guest, with names and shapes, and any values. A guest runs on some
  // ranks; the other ranks need this form to get its record.
  virtual std::vector<Value> blank_record() const { return {}; }
  // For each rank, the lowest rank whose kernels have the same items in every piece, whoever the
  // two exchange with. By default no two ranks are alike.
  virtual std::vector<int> alike() const {
    std::vector<int> own(nodes_.size());
    std::iota(own.begin(), own.end(), 0);
    return own;
  }

 private:
  Nodes nodes_;
};

}  // namespace phasewise::workload
