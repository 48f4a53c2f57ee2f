#include "driver/composite_run.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "beam/bunch.hpp"

namespace phasewise::driver {

using workload::Session;
using workload::Value;

namespace {

// Makes the session of each part on this rank. All splits of communicators come before any part
// takes memory.
std::vector<std::unique_ptr<Session>> sessions_of(const Composite& plan, const Session& whole) {
  std::vector<std::unique_ptr<Session>> sessions;
  for (const Composite::Part& part : plan.parts()) {
    const int rank = whole.world.rank();
    const bool here = part.place[rank] >= 0;
    comm::Communicator among = whole.world.split(here ? 0 : 1);
    sessions.push_back(here ? std::make_unique<Session>(whole, part.team(rank), std::move(among),
                                                        part.names->prefix())
                            : nullptr);
  }
  return sessions;
}

}  // namespace

CompositeRun::CompositeRun(const std::shared_ptr<const Composite>& study,
                           const workload::Parameters& parameters, std::unique_ptr<Session> owned)
    : Run(study, std::move(owned)), plan_(*study), exchanges_(parameters) {
  auto sessions = sessions_of(plan_, session());
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    const Composite::Part& part = plan_.parts()[i];
    if (!part.guest()) maker_ = i;
    if (!sessions[i]) {
      runs_.push_back(nullptr);
      continue;
    }
    runs_.push_back(part.entry.start(part.plan, std::move(sessions[i])));
  }
  shared_.assign(plan_.shared_numbers(), 0.0);
}

void CompositeRun::run_turn() {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (!runs_[i]) continue;
    const int number = plan_.parts()[i].bunch;
    if (number == 0) {
      runs_[i]->step();
      continue;
    }
    beam::Bunch& kept = *maker().held_bunch(number);
    beam::Bunch& lent = *runs_[i]->held_bunch(number);
    kept.hand_over(lent);
    runs_[i]->step();
    lent.hand_over(kept);
  }
  share_records();
}

// The first rank of each guest contributes its numbers, the others zeros.
void CompositeRun::share_records() {
  if (shared_.empty()) return;
  std::size_t at = 0;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Composite::Part& part = plan_.parts()[i];
    if (part.everywhere()) continue;
    const std::size_t end = at + plan_.numbers(part);
    std::fill(shared_.begin() + static_cast<std::ptrdiff_t>(at),
              shared_.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
    if (session().world.rank() == part.ranks.front())
      for (const Value& value : runs_[i]->record())
        for (const double number : value.values) shared_.at(at++) = number;
    at = end;
  }
  session().world.sum(shared_records, shared_);
}

std::vector<Value> CompositeRun::record() const {
  std::vector<Value> result;
  std::size_t at = 0;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Composite::Part& part = plan_.parts()[i];
    std::vector<Value> values = part.everywhere() ? runs_[i]->record() : part.plan->blank_record();
    for (Value& value : values) {
      if (!part.everywhere())
        for (double& number : value.values) number = shared_[at++];
      value.name = part.name + "/" + value.name;
      result.push_back(std::move(value));
    }
  }
  return result;
}

std::vector<std::pair<std::string, double>> CompositeRun::headline() const {
  return maker().headline();
}

std::vector<std::string> CompositeRun::row_sets() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (runs_[i])
      for (const std::string& set : runs_[i]->row_sets())
        result.push_back(plan_.parts()[i].name + "/" + set);
  return result;
}

workload::Run& CompositeRun::of_set(const std::string& set, std::string& own) const {
  const std::size_t slash = set.find('/');
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (runs_[i] && slash != std::string::npos && plan_.parts()[i].name == set.substr(0, slash)) {
      own = set.substr(slash + 1);
      return *runs_[i];
    }
  throw std::invalid_argument("there are no rows called '" + set + "'");
}

workload::Rows CompositeRun::rows(const std::string& set) const {
  std::string own;
  Run& run = of_set(set, own);
  return run.rows(own);
}

std::vector<std::int64_t> CompositeRun::own_rows(const std::string& set) const {
  std::string own;
  Run& run = of_set(set, own);
  return run.own_rows(own);
}

void CompositeRun::replace_rows(const std::string& set, const workload::Rows& rows) {
  std::string own;
  Run& run = of_set(set, own);
  run.replace_rows(own, rows);
}

void CompositeRun::set_turn(std::int64_t turn) {
  Run::set_turn(turn);
  for (const auto& run : runs_)
    if (run) run->set_turn(turn);
}

// Several bunches may have a piece of the same name; its count is the mean over them.
std::vector<std::pair<std::string, double>> CompositeRun::piece_counts() const {
  std::map<std::string, std::pair<double, int>> sums;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (runs_[i])
      for (const auto& [name, count] : runs_[i]->piece_counts()) {
        auto& [sum, times] = sums[plan_.parts()[i].names->prefix() + name];
        sum += count;
        ++times;
      }
  std::vector<std::pair<std::string, double>> result;
  result.reserve(sums.size());
  for (const auto& [name, sum] : sums) result.emplace_back(name, sum.first / sum.second);
  return result;
}

void CompositeRun::exchange_as(const workload::Parameters& parameters) {
  const auto set = [&](const workload::Parameters& given) {
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (runs_[i]) runs_[i]->exchange_as(given.part(plan_.parts()[i].name));
  };
  try {
    set(parameters);
    parameters.check_all_used();
  } catch (...) {
    set(exchanges_);  // undoes the change of the parts before the one that refused
    throw;
  }
  exchanges_ = parameters;
}

std::vector<workload::Run*> CompositeRun::runs_of(const std::string& name) {
  std::vector<Run*> result;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (runs_[i] && plan_.parts()[i].name == name) result.push_back(runs_[i].get());
  return result;
}

}  // namespace phasewise::driver
