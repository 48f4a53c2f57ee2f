#include "driver/plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "driver/counted.hpp"
#include "workload/pieces.hpp"

namespace phasewise::driver {
namespace {

using workload::Piece;
using workload::Workload;

// Messages and bytes of one rank, phase by phase.
class Totals : public Counted {
 public:
  struct Phase {
    std::string_view name;
    std::int64_t messages = 0, bytes = 0;
  };
  using Counted::Counted;
  const std::vector<Phase>& phases() const { return phases_; }

 private:
  void sent(std::string_view phase, int /*peer*/, std::int64_t bytes) override {
    asked(phase, bytes);
  }
  void asked(std::string_view phase, std::int64_t bytes) override {
    auto found = std::find_if(phases_.begin(), phases_.end(),
                              [&](const Phase& known) { return known.name == phase; });
    if (found == phases_.end()) found = phases_.insert(found, {phase});
    ++found->messages;
    found->bytes += bytes;
  }
  std::vector<Phase> phases_;
};

// Everything about one phase of one rank.
class Details : public Counted {
 public:
  Details(const Workload& study, PlannedPhase& phase)
      : Counted(study.ranks(), phase.rank), study_(study), phase_(phase) {}

 private:
  void sent(std::string_view phase, int peer, std::int64_t bytes) override {
    if (!count(phase, bytes)) return;
    const bool intra = study_.node(peer) == study_.node(phase_.rank);
    ++(intra ? phase_.intra_node : phase_.inter_node);
  }
  void asked(std::string_view phase, std::int64_t bytes) override {
    if (count(phase, bytes)) phase_.library = true;
  }
  void synchronised(std::string_view phase, std::int64_t count) override {
    if (phase == phase_.name) phase_.synchronisations += count;
  }
  bool count(std::string_view phase, std::int64_t bytes) {
    if (phase != phase_.name) return false;
    ++phase_.messages;
    phase_.bytes += bytes;
    ++phase_.sizes[bytes];
    return true;
  }
  const Workload& study_;
  PlannedPhase& phase_;
};

void tell(const Workload& study, int rank, const std::vector<Piece>& pieces,
          workload::Listener& listener) {
  const auto turn = study.turn_of(rank);
  for (const Piece& piece : pieces) turn->tell(piece, listener);
}

// Each phase of these pieces, for whichever of these ranks sends the most messages in it, or the
// most bytes among ranks with equally many messages.
std::vector<PlannedPhase> busiest_in_each_phase(const Workload& study,
                                                const std::vector<int>& ranks,
                                                const std::vector<Piece>& pieces) {
  struct Busiest {
    std::string_view name;
    std::pair<std::int64_t, std::int64_t> sent;
    int rank;
  };
  std::vector<Busiest> busiest;
  for (const int rank : ranks) {
    Totals totals(study.ranks(), rank);
    tell(study, rank, pieces, totals);
    for (const Totals::Phase& phase : totals.phases()) {
      const std::pair sent{phase.messages, phase.bytes};
      const auto known = std::find_if(busiest.begin(), busiest.end(),
                                      [&](const Busiest& b) { return b.name == phase.name; });
      if (known == busiest.end())
        busiest.push_back({phase.name, sent, rank});
      else if (sent > known->sent)
        *known = {phase.name, sent, rank};
    }
  }
  std::vector<PlannedPhase> result;
  for (const Busiest& b : busiest) {
    PlannedPhase& phase = result.emplace_back();
    phase.name = b.name;
    phase.rank = b.rank;
    Details details(study, phase);
    tell(study, b.rank, pieces, details);
  }
  return result;
}

// Groups the pieces: first those that every turn has, then one group for each name of
// data-dependent ones.
std::vector<std::vector<Piece>> groups_of(const std::vector<Piece>& pieces) {
  std::vector<std::vector<Piece>> groups(1);
  for (const Piece& piece : pieces) {
    if (piece.kind != Piece::Kind::data_dependent) {
      groups.front().push_back(piece);
      continue;
    }
    const auto known = std::find_if(groups.begin() + 1, groups.end(), [&](const auto& group) {
      return group.front().name == piece.name;
    });
    if (known == groups.end())
      groups.push_back({piece});
    else
      known->push_back(piece);
  }
  return groups;
}

}  // namespace

std::vector<PlannedPhase> plan_turn(const Workload& study, int rank) {
  if (rank >= study.ranks())
    throw std::invalid_argument("rank " + std::to_string(rank) + " is not among " +
                                std::to_string(study.ranks()) + " ranks, which are counted from 0");
  const std::vector<int> ranks = rank < 0 ? study.typical_ranks() : std::vector<int>{rank};
  std::vector<PlannedPhase> found;
  for (const std::vector<Piece>& group : groups_of(study.pieces())) {
    if (group.empty()) continue;
    const bool every_turn = group.front().kind != Piece::Kind::data_dependent;
    for (PlannedPhase& phase : busiest_in_each_phase(study, ranks, group)) {
      phase.per = every_turn ? "turn" : group.front().per;
      if (!every_turn) phase.piece = group.front().name;
      found.push_back(std::move(phase));
    }
  }
  const std::vector<workload::Phase> phases = study.phases();
  for (const PlannedPhase& phase : found) workload::phase_named(phases, phase.name);
  std::vector<PlannedPhase> result;
  for (const workload::Phase& traits : phases)
    for (PlannedPhase& phase : found)
      if (phase.name == traits.name) {
        phase.traits = traits;
        result.push_back(std::move(phase));
      }
  return result;
}

namespace {

class ToPeers : public Counted {
 public:
  using Counted::Counted;
  std::map<int, std::pair<std::int64_t, std::int64_t>> to;

 private:
  void asked(std::string_view /*phase*/, std::int64_t /*bytes*/) override {}
  void sent(std::string_view /*phase*/, int peer, std::int64_t bytes) override {
    ++to[peer].first;
    to[peer].second += bytes;
  }
};

}  // namespace

PlannedTraffic planned_traffic(const Workload& study) {
  PlannedTraffic traffic;
  const std::vector<Piece> every_turn = groups_of(study.pieces()).front();
  for (int rank = 0; rank < study.ranks(); ++rank) {
    ToPeers peers(study.ranks(), rank);
    tell(study, rank, every_turn, peers);
    for (const auto& [peer, sent] : peers.to) {
      traffic.from.push_back(rank);
      traffic.to.push_back(peer);
      traffic.messages.push_back(sent.first);
      traffic.bytes.push_back(sent.second);
    }
  }
  return traffic;
}

namespace {

// Totals of messages, and the smallest and largest number of items of each kernel in a piece of the
// turn's first series.
class SeriesTotals : public Totals {
 public:
  using Totals::Totals;
  struct Range {
    double least, greatest;
  };
  std::map<std::string, Range, std::less<>> kernels;
  bool in_series = false;

  void kernel(const parallel::KernelCard& card, double items,
              const std::function<void()>& /*work*/) override {
    if (!in_series) return;
    Range& range = kernels.try_emplace(std::string(card.name), Range{items, items}).first->second;
    range = {std::min(range.least, items), std::max(range.greatest, items)};
  }
};

struct Extent {
  double count = 0.0, size = 0.0;
};

bool in_first_series(const Piece& piece) {
  return piece.kind == Piece::Kind::series && piece.part == 0;
}

Extent extent_of_series(const std::vector<Piece>& pieces) {
  Extent extent;
  for (const Piece& piece : pieces)
    if (in_first_series(piece)) {
      ++extent.count;
      extent.size += piece.size;
    }
  return extent;
}

SeriesTotals series_totals(const Workload& study, int rank, const std::vector<Piece>& pieces) {
  SeriesTotals totals(study.ranks(), rank);
  const auto turn = study.turn_of(rank);
  for (const Piece& piece : pieces) {
    totals.in_series = in_first_series(piece);
    turn->tell(piece, totals);
  }
  return totals;
}

}  // namespace

std::map<std::string, double> sampling_scales(const Workload& study, int rank, int sample) {
  const std::vector<Piece> every_turn = groups_of(study.pieces()).front();
  const std::vector<Piece> sampled = workload::sampled_pieces(every_turn, sample);
  const SeriesTotals all = series_totals(study, rank, every_turn);
  const SeriesTotals done = series_totals(study, rank, sampled);
  std::map<std::string, double> scales;
  for (const Totals::Phase& some : done.phases())
    for (const Totals::Phase& whole : all.phases())
      if (whole.name == some.name && some.bytes > 0)
        scales[std::string(some.name)] =
            static_cast<double>(whole.bytes) / static_cast<double>(some.bytes);
  // The time of a kernel with the same items in all pieces grows with the number of pieces, that of
  // any other kernel with their size.
  const Extent whole = extent_of_series(every_turn), part = extent_of_series(sampled);
  for (const auto& [name, items] : all.kernels)
    scales.emplace(
        name, items.least == items.greatest ? whole.count / part.count : whole.size / part.size);
  return scales;
}

}  // namespace phasewise::driver
