// Runs of workloads whose turns consist of their pieces, told one after the other, and of nothing
// else. Such a workload is a Planned, which makes the turn of a rank with data or without. It needs
// no Run of its own, since its plan and its turn say everything that a run has to say.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "workload/live.hpp"
#include "workload/pieces.hpp"
#include "workload/run.hpp"

namespace phasewise::workload {

class PlannedTurn : public RankTurn {
 public:
  void begin(std::int64_t number) { number_ = number; }
  // The exchanges that all ranks prepare together (comm::Executor::prepare), in the same order.
  virtual exchange::Exchanges exchanges() const { return {}; }
  // Whether `tell` posts messages by itself (Listener::post).
  virtual bool posts() const { return false; }
  // Like Run::exchange_as; by default there is nothing to choose.
  virtual void exchange_as(const Parameters& parameters) { parameters.check_all_used(); }
  // Like Run::record and Run::finished.
  virtual std::vector<Value> record() const { return {}; }
  virtual bool finished() const { return false; }

 protected:
  // The number of the turn, from 0.
  std::int64_t number() const { return number_; }
  // Reports an exchange whose data leave from one buffer and arrive in the same one.
  static void exchange_within(const exchange::ItemBuffer& buffer,
                              const exchange::ExchangePointer& exchange, Listener& listener) {
    listener.start(exchange->channel, [&](exchange::Works& works) {
      works.push_back({exchange::lent(exchange), buffer, buffer});
    });
    listener.finish(exchange->channel);
  }

 private:
  std::int64_t number_ = 0;
};

// What a turn has in memory: the data that it needs to run, or nothing, in which case it only
// reports its actions to the listener.
enum class Contents : std::uint8_t { none, real };

template <class Turn>
class Planned : public Workload {
 public:
  using Workload::Workload;
  std::unique_ptr<RankTurn> turn_of(int rank) const override {
    return make_turn(rank, Contents::none);
  }
  // The study outlives the turn.
  virtual std::unique_ptr<Turn> make_turn(int rank, Contents contents) const = 0;
};

template <class Turn>
class PlannedRun : public Run {
 public:
  // Collective.
  PlannedRun(const std::shared_ptr<const Planned<Turn>>& study, std::unique_ptr<Session> owned)
      : Run(study, std::move(owned)),
        pieces_(sampled_pieces(study->pieces(), session().sample)),
        turn_(study->make_turn(session().world.rank(),
                               session().skeleton ? Contents::none : Contents::real)),
        live_(session()) {
    session().executor->prepare(turn_->exchanges());
    if (turn_->posts()) live_.expect_requests();
  }

  bool finished() const override { return turn_->finished(); }
  std::vector<Value> record() const override { return turn_->record(); }
  // The values of the record that are single numbers.
  std::vector<std::pair<std::string, double>> headline() const override {
    std::vector<std::pair<std::string, double>> numbers;
    for (const Value& value : record())
      if (value.shape.empty()) numbers.emplace_back(value.name, value.values.front());
    return numbers;
  }
  void exchange_as(const Parameters& parameters) override {
    turn_->exchange_as(parameters);
    session().executor->prepare(turn_->exchanges());
  }
  Turn& turn_of_rank() { return *turn_; }

 protected:
  void run_turn() override {
    turn_->begin(turn());
    for (const Piece& piece : pieces_) turn_->tell(piece, live_);
  }

 private:
  std::vector<Piece> pieces_;
  std::unique_ptr<Turn> turn_;
  Live live_;
};

}  // namespace phasewise::workload
