// A workload that runs, really or on a simulated machine: turn after turn, with what each measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workload/parameters.hpp"
#include "workload/session.hpp"

namespace phasewise::workload {

// A number, or an array, row after row.
struct Value {
  std::string name;
  std::vector<std::size_t> shape;  // empty: a number
  std::vector<double> values;
};

// Rows of a run's state that live on this rank, each with the number that it has among all: what a
// checkpoint keeps, and puts back on any number of ranks.
struct Rows {
  std::vector<std::int64_t> id;
  std::vector<std::pair<std::string, std::vector<double>>> columns;
};

class Run {
 public:
  explicit Run(std::unique_ptr<Session> session) : session_(std::move(session)) {}
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // One turn. Collective, as is everything but reading.
  void step();
  std::int64_t turn() const { return turn_; }
  void set_turn(std::int64_t turn) { turn_ = turn; }

  // What the last turn measured, the same on every rank.
  virtual std::vector<Value> record() const = 0;
  // A few of these for a line of text: name with unit, value.
  virtual std::vector<std::pair<std::string, double>> headline() const = 0;

  virtual std::vector<std::string> row_sets() const { return {}; }
  virtual Rows rows(const std::string& set) const;
  // Ids of the rows that belong to this rank.
  virtual std::vector<std::int64_t> own_rows(const std::string& set) const;
  // In the place of this rank's; std::invalid_argument where one is missing, given twice, or of
  // another rank.
  virtual void replace_rows(const std::string& set, const Rows& rows);

  // From the next turn on the ranks exchange as these parameters say, the communication.* of how.
  // No bit of the results follows from it. Throws std::invalid_argument with one sentence where
  // they cannot be used; then everything stays as it was.
  void set_communication(const std::string& parameters);

  // This rank's place in the process grid, by name.
  virtual std::vector<comm::Coordinate> place() const = 0;
  // As Workload::process_grid.
  virtual std::vector<std::vector<int>> process_grid() const = 0;
  // How the ranks are numbered, and the keys communication.<key> of how they exchange: what the
  // records say of both.
  virtual std::string layout() const = 0;
  virtual std::vector<std::string> exchange_keys() const = 0;
  // How often data-dependent pieces came so far: name, count.
  virtual std::vector<std::pair<std::string, double>> piece_counts() const { return {}; }

  // This rank's records: one JSON object of one line (docs/communication.md).
  std::string communication() const;
  Session& session() { return *session_; }
  const Session& session() const { return *session_; }

 protected:
  virtual void run_turn() = 0;
  virtual void exchange_as(const Parameters& parameters) = 0;

 private:
  std::unique_ptr<Session> session_;
  std::int64_t turn_ = 0;
};

}  // namespace phasewise::workload
