// The interface of a workload without MPI: its phases, the pieces of a turn, and how a rank's turn
// is told. The plan, the models and the simulated machines know a workload by this alone.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workload/listener.hpp"
#include "workload/phase.hpp"

namespace phasewise::workload {

// A part of a turn. The pieces that come once and those of series, in order, are the turn. A piece
// that depends on data comes as often as a run needed it, and is told where it stands in the order.
struct Piece {
  enum class Kind {
    once,
    series,         // one of many like it: some may be sampled, or stand for others
    data_dependent  // a run records how often it came; a plan is given that number
  };
  std::string_view name;
  Kind kind = Kind::once;
  std::string_view per = "turn";  // what a data-dependent piece comes with: a new mesh, …
  int part = 0;   // the part of the turn it belongs to, such as an interaction point
  int index = 0;  // of its series
  // Of a series: pieces of the same size count as alike, and between sizes time is interpolated.
  double size = 1.0;
  // How often a data-dependent piece comes in a turn, where nothing else is known.
  double expected = 0.0;
};

// How the turn of one rank is told, piece after piece in the order of the turn.
class RankTurn {
 public:
  virtual ~RankTurn() = default;
  virtual void tell(const Piece& piece, Listener& listener) = 0;
};

// What the ranks hold: for each group of ranks, the largest share over the mean one.
struct Load {
  std::string name;
  std::vector<double> values;
};

// Where the ranks are: node[rank].
using Nodes = std::vector<int>;

// A study on the ranks of these nodes.
class Workload {
 public:
  explicit Workload(Nodes nodes) : nodes_(std::move(nodes)) {}
  virtual ~Workload() = default;

  int ranks() const { return static_cast<int>(nodes_.size()); }
  int node(int rank) const { return nodes_[rank]; }
  const Nodes& nodes() const { return nodes_; }

  // In the order in which they are shown.
  virtual std::vector<Phase> phases() const = 0;
  virtual std::vector<Piece> pieces() const = 0;
  virtual std::unique_ptr<RankTurn> turn_of(int rank) const = 0;
  // Of each group of ranks that has a grid of its own.
  virtual std::vector<std::vector<int>> process_grid() const = 0;
  virtual std::vector<Load> loads() const = 0;
  // Ranks among which the one that sends most in any phase is found; all, where they are few.
  virtual std::vector<int> typical_ranks() const = 0;

 private:
  Nodes nodes_;
};

}  // namespace phasewise::workload
