#include "comm/executor.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "exchange/host_memory.hpp"
#include "exchange/stateless.hpp"

namespace phasewise::comm {
namespace {

// What all ranks agree on about an exchange.
struct Needs {
  std::int64_t protocol = 0;
  std::int64_t rounds = 0;  // on the rank that has most
  std::int64_t fewest_rounds = 0;
  bool together() const {
    return rounds > 0 && needs_preparation(static_cast<exchange::Protocol>(protocol));
  }
};

std::int64_t rounds_of(const exchange::Exchange* exchange) {
  return exchange == nullptr || exchange->by_library() ? 0 : std::ssize(*exchange->rounds);
}

std::vector<Needs> needs_of_all(const Communicator& world, const exchange::Exchanges& exchanges) {
  std::vector<std::int64_t> values;
  for (const exchange::ExchangePointer& exchange : exchanges) {
    const std::int64_t rounds = rounds_of(exchange.get());
    const auto protocol = exchange ? static_cast<std::int64_t>(exchange->protocol) : 0;
    values.insert(values.end(), {protocol, rounds, -rounds});
  }
  world.agree(values);
  std::vector<Needs> needs;
  for (std::size_t i = 0; i < values.size(); i += 3)
    needs.push_back({values[i], values[i + 1], -values[i + 2]});
  return needs;
}

// A fence waits for all ranks, so that each must take part in every round.
void check(const Needs& needs, const exchange::ExchangePointer& exchange) {
  if (static_cast<exchange::Protocol>(needs.protocol) != exchange::Protocol::fence) return;
  if (needs.fewest_rounds == needs.rounds) return;
  const std::string phase =
      exchange ? "phase " + std::string(exchange->phase) : "one of the phases";
  throw std::invalid_argument(
      "communication protocol \"fence\" needs all ranks in every round, but " + phase + " has " +
      std::to_string(needs.rounds) + " rounds on some ranks and " +
      std::to_string(needs.fewest_rounds) + " on others");
}

void check_that_it_adds(const exchange::Exchange& exchange) {
  if (exchange.adds && !exchange.by_library() &&
      staging_of(exchange.protocol) == exchange::Staging::types)
    throw std::invalid_argument(
        "communication protocol \"" + std::string(name_of(exchange.protocol)) +
        "\" stores what arrives, but phase " + std::string(exchange.phase) + " adds it");
}

// The part of a rank that only helps others to prepare.
exchange::ExchangePointer without_messages(const Needs& needs) {
  auto idle = std::make_shared<exchange::Exchange>();
  idle->protocol = static_cast<exchange::Protocol>(needs.protocol);
  idle->team =
      std::make_shared<const exchange::Team>(exchange::Team{.ranks = {rank_of_all()}, .me = 0});
  idle->rounds = std::make_shared<const exchange::Rounds>(static_cast<std::size_t>(needs.rounds));
  return idle;
}

}  // namespace

Executor::Executor(const Communicator& world, Recorder& recorder,
                   const std::vector<exchange::TeamOfDivision>& teams, int threads)
    : world_(world), recorder_(recorder), host_(std::make_shared<exchange::HostMemory>(threads)) {
  for (const auto& [team, number] : teams)
    among_.insert_or_assign(team->ranks, world.split(number, team->me));
}

void Executor::prepare(const exchange::Exchanges& exchanges) {
  recent_ = {};
  kept_.clear();
  for (std::unique_ptr<OneRound>& round : rounds_) round.reset();
  rounds_.clear();
  const std::vector<Needs> needed = needs_of_all(world_, exchanges);
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    if (needed[i].together()) check(needed[i], exchanges[i]);
    if (exchanges[i]) check_that_it_adds(*exchanges[i]);
    const std::int64_t mine = rounds_of(exchanges[i].get());
    kept_.erase(exchanges[i].get());
    for (std::int64_t round = 0; round < mine; ++round) keep(exchanges[i]);
    if (!needed[i].together()) continue;
    const exchange::ExchangePointer idle = without_messages(needed[i]);
    for (std::int64_t round = mine; round < needed[i].rounds; ++round) keep(idle);
  }
}

Executor::Kept& Executor::keep(const exchange::ExchangePointer& exchange) {
  Kept& kept = kept_[exchange.get()];
  kept.exchange = exchange;
  OneRound& round = *rounds_.emplace_back(std::make_unique<OneRound>());
  round.owned = make_carrier({world_, exchange, kept.rounds.size()});
  round.carrier = round.owned.get();
  kept.rounds.push_back(&round);
  return kept;
}

Executor::Kept* Executor::kept(const exchange::ExchangePointer& exchange) {
  const auto place = reinterpret_cast<std::uintptr_t>(exchange.get()) / sizeof(exchange::Exchange);
  auto& [known, of_known] = recent_[place % recent_.size()];
  if (known == exchange.get()) return of_known;
  if (const auto found = kept_.find(exchange.get()); found != kept_.end()) {
    known = exchange.get();
    return of_known = &found->second;
  }
  if (exchange::is_stateless(exchange->protocol) || exchange->rounds->empty()) return nullptr;
  if (needs_preparation(exchange->protocol) || exchange.use_count() == 0)
    throw std::logic_error("phase " + std::string(exchange->phase) + ": protocol \"" +
                           std::string(name_of(exchange->protocol)) + "\" was not prepared");
  for (std::size_t round = 0; round < exchange->rounds->size(); ++round) keep(exchange);
  return &kept_.at(exchange.get());
}

Carrier& Executor::stateless(const exchange::ExchangePointer& exchange) {
  std::unique_ptr<Carrier>& carrier = stateless_[static_cast<std::size_t>(exchange->protocol)]
                                                [static_cast<std::size_t>(exchange->channel)];
  if (carrier == nullptr) carrier = make_carrier({world_, exchange, 0});
  return *carrier;
}

void Executor::use_device(std::shared_ptr<exchange::Memory> memory) {
  device_ = std::make_unique<exchange::MessageRooms>(std::move(memory));
}

exchange::MessageRooms& Executor::rooms_of(const exchange::ItemBuffer& buffer) {
  if (!buffer.on_device) return host_;
  if (device_ == nullptr) throw std::logic_error("the executor does not know a buffer's device");
  return *device_;
}

void Executor::pack(std::span<const exchange::Fragment> fragments, const exchange::ItemBuffer& from,
                    std::byte* message) {
  copies_.clear();
  append_packing(copies_, fragments, from.data, message);
  rooms_of(from).memory().copy(copies_);
}

void Executor::unpack(std::span<const exchange::Fragment> fragments, const exchange::ItemBuffer& to,
                      std::byte* message) {
  copies_.clear();
  append_unpacking(copies_, fragments, to.data, message);
  rooms_of(to).memory().copy(copies_);
}

const Communicator& Executor::among(const exchange::Team& team) const {
  const auto found = among_.find(team.ranks);
  if (found == among_.end())
    throw std::logic_error("the executor does not know the team that makes this library call");
  return found->second;
}

}  // namespace phasewise::comm
