// The workload `ringpass`: in a turn every rank passes N doubles to the next rank of a ring, and
// adds those that arrive from the rank before to its own.
#include <vector>

#include "exchange/neighbour_exchange.hpp"
#include "workload/checks.hpp"
#include "workload/entry.hpp"
#include "workload/planned_run.hpp"
#include "workload/protocols.hpp"

namespace phasewise::ringpass {
namespace {

constexpr std::string_view phase = "pass";

// One item is a double.
constexpr parallel::KernelCard fill_card = {
    .name = "fill", .flops = 1.0, .bytes = 8.0, .vectorised = true};
constexpr parallel::KernelCard add_card = {
    .name = "add", .flops = 1.0, .bytes = 24.0, .vectorised = false};

struct Description {
  std::int64_t values;
  bool verify;
  exchange::Protocol protocol;
};

class Turn : public workload::PlannedTurn {
 public:
  Turn(const Description& description, const workload::Nodes& nodes, int rank,
       workload::Contents contents)
      : d_(description), nodes_(nodes), ranks_(static_cast<int>(nodes.size())), rank_(rank) {
    lay_out(d_.protocol);
    if (contents == workload::Contents::real) memory_.resize(2 * d_.values);
  }

  void tell(const workload::Piece& /*piece*/, workload::Listener& listener) override {
    const auto items = static_cast<double>(d_.values);
    listener.kernel(fill_card, items, [&] { fill(); });
    exchange_within({memory_.data(), 2 * d_.values}, exchange_, listener);
    checks_.clear();
    listener.kernel(add_card, items, [&] { add(); });
    if (d_.verify) checks_.sum(listener);
  }
  exchange::Exchanges exchanges() const override { return {exchange_}; }
  void exchange_as(const workload::Parameters& parameters) override {
    const exchange::Protocol protocol = workload::protocol_in(parameters);
    parameters.check_all_used();
    lay_out(protocol);
  }
  std::vector<workload::Value> record() const override {
    return d_.verify ? checks_.record() : std::vector<workload::Value>{};
  }

 private:
  int before() const { return (rank_ + ranks_ - 1) % ranks_; }
  // What a rank passes on changes with each turn, so that stale messages are detected.
  double value(int rank, std::int64_t i) const { return static_cast<double>(rank + number() + i); }

  // The first half of the memory is sent, and the second half receives.
  void lay_out(exchange::Protocol protocol) {
    const std::int64_t half = 8 * d_.values;  // B
    exchange::NeighbourExchange pass(phase, exchange::common_channel, protocol, nodes_, rank_);
    pass.send((rank_ + 1) % ranks_, {{.offset = 0, .run = half, .repeats = {}}});
    pass.receive(before(), {{.offset = half, .run = half, .repeats = {}}});
    exchange_ = pass.done();
  }
  void fill() {
    for (std::int64_t i = 0; i < d_.values; ++i) memory_[i] = value(rank_, i);
  }
  void add() {
    for (std::int64_t i = 0; i < d_.values; ++i) {
      const double sum = memory_[i] += memory_[d_.values + i];
      const bool right = sum == value(rank_, i) + value(before(), i);
      if (d_.verify) checks_.add(right ? 0 : 1, static_cast<std::int64_t>(sum));
    }
  }

  const Description& d_;
  const workload::Nodes& nodes_;
  int ranks_, rank_;
  exchange::ExchangePointer exchange_;
  std::vector<double> memory_;
  workload::Checks checks_;
};

class Ringpass : public workload::Planned<Turn> {
 public:
  Ringpass(const workload::Parameters& parameters, workload::Nodes nodes)
      : Planned(std::move(nodes)),
        description_{.values = parameters.integer_within("ringpass.values", 1, 1 << 24),
                     .verify = parameters.integer("ringpass.verify") != 0,
                     .protocol = workload::protocol_in(parameters)} {}

  std::vector<workload::Phase> phases() const override {
    return {workload::main_phase(phase, "ring", "next"), workload::Checks::phase()};
  }
  std::vector<workload::Piece> pieces() const override { return {{.name = "pass"}}; }
  std::unique_ptr<Turn> make_turn(int rank, workload::Contents contents) const override {
    return std::make_unique<Turn>(description_, nodes(), rank, contents);
  }
  std::vector<std::string> exchange_keys() const override { return {"protocol"}; }
  // All ranks send and compute the same.
  std::vector<int> typical_ranks() const override { return {0}; }
  std::vector<int> alike() const override { return std::vector<int>(nodes().size(), 0); }

 private:
  Description description_;
};

}  // namespace

workload::Entry entry() { return workload::entry_for<Ringpass, workload::PlannedRun<Turn>>(); }

}  // namespace phasewise::ringpass
