#include "driver/composite.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>

namespace phasewise::driver {
namespace {

using workload::Piece;

// The workload that makes the bunches: the one that cannot be a guest, or else the first one.
std::size_t maker_of(const workload::Parameters& parameters, const std::vector<NamedEntry>& ring) {
  std::vector<std::size_t> hosts;
  for (std::size_t i = 0; i < ring.size(); ++i)
    if (ring[i].entry.plan_guest == nullptr) hosts.push_back(i);
  if (hosts.size() > 1)
    parameters.fail("workload",
                    ring[hosts[0]].name + " and " + ring[hosts[1]].name +
                        " share no bunches: neither can act on bunches of another workload");
  return hosts.empty() ? 0 : hosts.front();
}

std::vector<int> places_in(const std::vector<int>& ranks, int all) {
  std::vector<int> place(all, -1);
  for (std::size_t i = 0; i < ranks.size(); ++i) place[ranks[i]] = static_cast<int>(i);
  return place;
}

// The turns of a rank's parts, one after the other.
class Turn : public workload::RankTurn {
 public:
  Turn(const Composite& study, int rank) : shared_(study.shared_numbers()) {
    for (const Composite::Part& part : study.parts()) {
      const int place = part.place[rank];
      parts_.push_back({part, place < 0 ? nullptr : part.plan->turn_of(place)});
    }
  }

  void tell(const Piece& piece, workload::Listener& listener) override {
    if (piece.name == shared_records) {
      std::vector<double> values(shared_, 0.0);
      listener.sum(shared_records, values);
      return;
    }
    const PartTurn& found = *std::ranges::find_if(parts_, [&](const PartTurn& one) {
      return one.part.first <= piece.part && piece.part < one.part.last;
    });
    if (!found.turn) return;
    Piece own = piece;
    own.part -= found.part.first;
    own.name = found.part.names->own(piece.name);
    Prefixed prefixed(listener, *found.part.names);
    found.turn->tell(own, prefixed);
  }

 private:
  struct PartTurn {
    const Composite::Part& part;
    std::unique_ptr<workload::RankTurn> turn;  // null on ranks without it
  };
  std::size_t shared_;
  std::vector<PartTurn> parts_;
};

}  // namespace

Composite::Composite(const workload::Parameters& parameters, workload::Nodes nodes,
                     const std::vector<NamedEntry>& ring)
    : Workload(std::move(nodes)) {
  const std::size_t place = maker_of(parameters, ring);
  const NamedEntry& makes = ring[place];
  Part maker{makes.name, makes.entry};
  maker.ranks.resize(this->nodes().size());
  std::iota(maker.ranks.begin(), maker.ranks.end(), 0);
  maker.place = maker.ranks;
  maker.plan = makes.entry.plan(parameters.part(makes.name), this->nodes());
  maker.names = std::make_shared<PartNames>(makes.name + ".");
  const std::vector<workload::SharedBunch> bunches = maker.plan->bunches();
  if (bunches.empty()) parameters.fail("workload", makes.name + " has no bunches to share");
  for (std::size_t i = 0; i < place; ++i) add_guests(parameters, ring[i], bunches);
  maker_ = parts_.size();
  parts_.push_back(std::move(maker));
  for (std::size_t i = place + 1; i < ring.size(); ++i) add_guests(parameters, ring[i], bunches);
  number_parts();
}

void Composite::add_guests(const workload::Parameters& parameters, const NamedEntry& guest,
                           const std::vector<workload::SharedBunch>& bunches) {
  const auto names = std::make_shared<PartNames>(guest.name + ".");
  for (const workload::SharedBunch& bunch : bunches) {
    Part& part = parts_.emplace_back(Part{guest.name, guest.entry, bunch.number, bunch.ranks});
    part.place = places_in(bunch.ranks, ranks());
    workload::Nodes own;
    for (const int rank : bunch.ranks) own.push_back(node(rank));
    part.plan = guest.entry.plan_guest(parameters.part(guest.name), std::move(own),
                                       {bunch.number, part.team(bunch.ranks.front())});
    part.names = names;
  }
}

// The parts of the maker's turn keep their numbers; those of the guests follow.
void Composite::number_parts() {
  const auto parts_of = [](const Part& part) {
    int most = 0;
    for (const Piece& piece : part.plan->pieces()) most = std::max(most, piece.part);
    return most + 1;
  };
  int next = parts_[maker_].last = parts_of(maker());
  for (Part& part : parts_) {
    if (!part.guest()) continue;
    part.first = next;
    part.last = next += parts_of(part);
  }
}

std::size_t Composite::numbers(const Part& part) const {
  std::size_t count = 0;
  for (const workload::Value& value : part.plan->blank_record()) count += value.values.size();
  return count;
}

std::size_t Composite::shared_numbers() const {
  std::size_t count = 0;
  for (const Part& part : parts_)
    if (!part.everywhere()) count += numbers(part);
  return count;
}

std::vector<workload::Phase> Composite::phases() const {
  std::vector<workload::Phase> result;
  std::set<std::string> known;
  for (const Part& part : parts_)
    for (workload::Phase& phase : part.plan->phases()) {
      phase.name = part.names->of(phase.name);
      if (known.insert(phase.name).second) result.push_back(std::move(phase));
    }
  result.push_back({std::string(shared_records), "sum", "all"});
  return result;
}

std::vector<Piece> Composite::pieces() const {
  std::vector<Piece> result;
  for (const Part& part : parts_)
    for (Piece& piece : part.plan->pieces()) {
      piece.name = part.names->of(piece.name);
      piece.part += part.first;
      result.push_back(piece);
    }
  if (shared_numbers() > 0) result.push_back({.name = shared_records});
  return result;
}

std::unique_ptr<workload::RankTurn> Composite::turn_of(int rank) const {
  return std::make_unique<Turn>(*this, rank);
}

std::vector<std::string> Composite::exchange_keys() const {
  std::vector<std::string> result;
  for (const Part& part : parts_)
    for (const std::string& key : part.plan->exchange_keys()) {
      const std::string name = part.name + "." + key;
      if (std::ranges::find(result, name) == result.end()) result.push_back(name);
    }
  return result;
}

std::vector<workload::Load> Composite::loads() const {
  std::vector<workload::Load> result;
  for (const Part& part : parts_)
    for (workload::Load& load : part.plan->loads()) {
      load.name = part.names->of(load.name);
      const auto known = std::ranges::find(result, load.name, &workload::Load::name);
      if (known == result.end())
        result.push_back(std::move(load));
      else
        known->values.insert(known->values.end(), load.values.begin(), load.values.end());
    }
  return result;
}

std::vector<int> Composite::typical_ranks() const {
  std::set<int> result;
  for (const Part& part : parts_)
    for (const int place : part.plan->typical_ranks()) result.insert(part.ranks[place]);
  return {result.begin(), result.end()};
}

// Ranks that are alike in all parts.
std::vector<int> Composite::alike() const {
  std::vector<std::vector<int>> keys(ranks());
  for (const Part& part : parts_) {
    const std::vector<int> own = part.plan->alike();
    for (int rank = 0; rank < ranks(); ++rank)
      keys[rank].push_back(part.place[rank] < 0 ? -1 : own[part.place[rank]]);
  }
  std::map<std::vector<int>, int> first;
  std::vector<int> result;
  result.reserve(keys.size());
  for (int rank = 0; rank < ranks(); ++rank)
    result.push_back(first.try_emplace(keys[rank], rank).first->second);
  return result;
}

}  // namespace phasewise::driver
