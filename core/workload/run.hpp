// A workload that runs turn after turn, on a real or a simulated machine, and records what each
// turn measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "parallel/together.hpp"
#include "workload/bunches.hpp"
#include "workload/parameters.hpp"
#include "workload/session.hpp"
#include "workload/value.hpp"
#include "workload/workload.hpp"

namespace phasewise::workload {

// Rows of a run's state that live on this rank, each with its number among all rows. A checkpoint
// keeps them, and restores them on any number of ranks.
struct Rows {
  std::vector<std::int64_t> id;
  std::vector<std::pair<std::string, std::vector<double>>> columns;
};

class Run {
 public:
  // Collective. The study is planned for the ranks of the session.
  Run(std::shared_ptr<const Workload> study, std::unique_ptr<Session> session);
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  // Runs this number of turns, or fewer if the run finishes before. Collective, as are all
  // functions that change the run. After an exception the particles are where the failure left
  // them, and no more turns can run.
  void step(int turns = 1);
  std::int64_t turn() const { return turn_; }
  // Whether the run has reached its end, such as a time, however many turns were asked for. It is
  // the same on every rank.
  virtual bool finished() const { return false; }
  virtual void set_turn(std::int64_t turn) { turn_ = turn; }

  // What the last turn measured, the same on every rank.
  virtual std::vector<Value> record() const = 0;
  // A few of these values for a line of text: name with unit, value.
  virtual std::vector<std::pair<std::string, double>> headline() const = 0;

  virtual std::vector<std::string> row_sets() const { return {}; }
  virtual Rows rows(const std::string& set) const;
  // The ids of the rows that belong to this rank.
  virtual std::vector<std::int64_t> own_rows(const std::string& set) const;
  // Replaces this rank's rows. Throws std::invalid_argument if a row is missing, is given twice, or
  // belongs to another rank.
  virtual void replace_rows(const std::string& set, const Rows& rows);

  // The bunch of this beam if this rank holds particles of it, or would in a run with contents;
  // else null. A composite hands particles over between the bunches of its parts.
  virtual beam::Bunch* held_bunch(int /*number*/) { return nullptr; }

  // What lets several runs share launches of their kernels; null if nothing does.
  virtual parallel::Together* together() { return nullptr; }

  // Changes how the ranks exchange from the next turn on; takes communication.* parameters. Results
  // keep every bit. If the parameters cannot be used, throws std::invalid_argument with one
  // sentence and changes nothing.
  void set_communication(const std::string& parameters);
  virtual void exchange_as(const Parameters& parameters) = 0;

  // The names of the data-dependent pieces, and how often each has occurred so far.
  virtual std::vector<std::pair<std::string, double>> piece_counts() const { return {}; }

  // This rank's records, as one line with a JSON object (docs/communication.md).
  std::string communication() const;
  const Workload& study() const { return *study_; }
  Session& session() { return *session_; }
  const Session& session() const { return *session_; }

 protected:
  virtual void run_turn() = 0;

 private:
  std::shared_ptr<const Workload> study_;
  std::unique_ptr<Session> session_;
  std::int64_t turn_ = 0;
  bool failed_ = false;
};

// Runs a turn of each of several runs on one rank; runs on the same device share launches. Returns
// what each of them threw, or null. Throws std::invalid_argument if a run has more than one rank.
std::vector<std::exception_ptr> step_together(std::span<Run* const> runs);

}  // namespace phasewise::workload
