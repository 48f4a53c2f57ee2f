#include "workload/run.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "parallel/clock.hpp"

namespace phasewise::workload {

// The teams are split, which is collective, before any part of the run takes its memory.
Run::Run(std::shared_ptr<const Workload> study, std::unique_ptr<Session> session)
    : study_(std::move(study)), session_(std::move(session)) {
  session_->set_teams(study_->teams(session_->team));
}

void Run::step(int turns) {
  if (failed_)
    throw std::runtime_error(
        "an earlier turn of this run failed; begin a new run, or one from a checkpoint");
  failed_ = true;  // until all turns are done
  const Session::Names names(*session_);
  const double start = parallel::clock().now();
  for (int i = 0; i < turns && !finished(); ++i) {
    run_turn();
    session_->kernels.settle();
    ++turn_;
  }
  session_->seconds += parallel::clock().now() - start;
  failed_ = false;
}

std::vector<std::exception_ptr> step_together(std::span<Run* const> runs) {
  std::vector<std::function<void()>> turns;
  parallel::Together* shared = runs.empty() ? nullptr : runs[0]->together();
  for (Run* run : runs) {
    if (run->session().world.size() > 1)
      throw std::invalid_argument("only runs of one rank each can be done together");
    if (std::count(runs.begin(), runs.end(), run) > 1)
      throw std::invalid_argument("a run is given twice");
    if (run->together() != shared) shared = nullptr;
    turns.emplace_back([run] { run->step(); });
  }
  if (shared != nullptr) return parallel::do_together(*shared, turns);
  std::vector<std::exception_ptr> failures;
  for (const auto& turn : turns) {
    failures.emplace_back();
    try {
      turn();
    } catch (...) {
      failures.back() = std::current_exception();
    }
  }
  return failures;
}

void Run::set_communication(const std::string& text) {
  const Parameters parameters = Parameters::parse(text);
  for (const char* place : {"process_grid", "layout", "places", "node_size"}) {
    const std::string key = std::string("communication.") + place;
    if (parameters.has(key))
      parameters.fail(key, "ranks keep their places while a simulation goes on");
  }
  exchange_as(parameters);
}

std::string Run::communication() const {
  const comm::Communicator& world = session_->world;
  comm::RankFacts facts{.rank = world.rank(),
                        .node = session_->nodes[world.rank()],
                        .place = study_->place(world.rank()),
                        .pieces = piece_counts(),
                        .seconds = session_->seconds,
                        .clock_offset = world.clock_offset()};
  for (const Phase& phase : study_->phases()) {
    if (phase.main) facts.main.push_back(phase.name);
    if (!phase.colour.empty()) facts.colours.emplace_back(phase.name, phase.colour);
  }
  return session_->recorder.to_json(facts);
}

namespace {

[[noreturn]] void no_such_set(const std::string& set) {
  throw std::invalid_argument("there are no rows called '" + set + "'");
}

}  // namespace

Rows Run::rows(const std::string& set) const { no_such_set(set); }
std::vector<std::int64_t> Run::own_rows(const std::string& set) const { no_such_set(set); }
void Run::replace_rows(const std::string& set, const Rows& /*rows*/) { no_such_set(set); }

}  // namespace phasewise::workload
