#include "collectives/exchanges.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "exchange/share.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::collectives {
namespace {

using exchange::Round;
using exchange::Rounds;

bool has_blocks(Operator operation) {
  return operation == Operator::reduce_scatter || operation == Operator::allgather ||
         operation == Operator::alltoall || operation == Operator::alltoallv ||
         operation == Operator::gather || operation == Operator::scatter;
}

bool to_each(Operator operation) {
  return operation == Operator::alltoall || operation == Operator::alltoallv;
}

exchange::TeamPointer all_ranks(const std::vector<int>& nodes, int rank) {
  std::vector<int> ranks(nodes.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  return std::make_shared<const exchange::Team>(
      exchange::Team{.ranks = std::move(ranks), .me = rank, .nodes = nodes});
}

// Makes the exchanges of one collective.
class Maker {
 public:
  Maker(const Description& d, const Manner& manner, const std::vector<int>& nodes, int rank)
      : d_(d),
        manner_(manner),
        nodes_(nodes),
        ranks_(static_cast<int>(nodes.size())),
        rank_(rank),
        memory_(d, ranks_, rank),
        team_(exchange::team_of_all(ranks_, rank, nodes)) {}

  exchange::Exchanges make() {
    switch (d_.operation) {
      case Operator::barrier:
        return made(barrier_rounds(), false, two_words());
      case Operator::broadcast:
        return made(exchange::sum_rounds(exchange::SumAlgorithm::binomial, rank_, nodes_).stored,
                    false, two_words());
      case Operator::allreduce:
        return allreduce();
      case Operator::reduce_scatter:
        return made(scattered(), true, given_blocks());
      case Operator::allgather:
        return made(reversed(scattered()), false, got_blocks());
      case Operator::alltoall:
      case Operator::alltoallv:
        return made(alltoall_rounds(), false, given_and_got());
      case Operator::reduce:
        return made(exchange::sum_rounds(exchange::SumAlgorithm::binomial, rank_, nodes_).added,
                    true, two_words());
      case Operator::gather:
        return made(gather_rounds(), false, got_blocks());
      case Operator::scatter:
        return made(reversed(gather_rounds()), false, given_blocks());
      case Operator::scan:
        return made(prefix_rounds(0, 0), true, two_words());
      case Operator::exclusive_scan: {
        exchange::Exchanges both = made(shift_rounds(), false, two_words());
        for (const auto& added : made(prefix_rounds(1, 1), true, two_words()))
          both.push_back(added);
        return both;
      }
      case Operator::sum:
        break;
    }
    return {};
  }

 private:
  using Regions = std::vector<exchange::Region>;

  exchange::Exchanges made(Rounds rounds, bool adds, const Regions& regions) const {
    if (rounds.empty()) return {};
    exchange::Exchange result;
    result.phase = phase_of(d_.operation);
    result.adds = adds;
    result.team = team_;
    result.rounds = std::make_shared<const Rounds>(std::move(rounds));
    result.protocol = manner_.protocol;
    return {of_one_item(std::move(result), regions)};
  }

  // Two chunks, all values in the first part of the memory and in the second.
  Regions two_words() const {
    return {{.offset = 0, .run = d_.bytes, .repeats = nullptr},
            {.offset = memory_.half, .run = d_.bytes, .repeats = nullptr}};
  }
  Regions given_blocks() const {
    Regions regions;
    for (int i = 0; i < ranks_; ++i)
      regions.push_back({.offset = memory_.out(i), .run = sent(i), .repeats = nullptr});
    return regions;
  }
  Regions got_blocks() const {
    Regions regions;
    for (int i = 0; i < ranks_; ++i)
      regions.push_back(
          {.offset = memory_.half + memory_.in(i), .run = received(i), .repeats = nullptr});
    return regions;
  }
  Regions given_and_got() const {
    Regions regions = given_blocks();
    for (const exchange::Region& region : got_blocks()) regions.push_back(region);
    return regions;
  }
  std::int64_t sent(int to) const { return block_bytes(d_, rank_, to); }
  std::int64_t received(int from) const { return block_bytes(d_, from, rank_); }

  exchange::Schedule schedule() const {
    return manner_.algorithm == Algorithm::pairwise ? exchange::Schedule::pairwise
                                                    : exchange::Schedule::ring;
  }
  Rounds scattered() const {
    const exchange::Algorithm algorithm =
        manner_.algorithm == Algorithm::hypercube    ? exchange::Algorithm::hypercube
        : manner_.algorithm == Algorithm::node_aware ? exchange::Algorithm::node_aware
                                                     : exchange::Algorithm::direct;
    return exchange::reduce_rounds(algorithm, schedule(), rank_, nodes_);
  }
  // In each round a rank hears from the rank 1, 2, 4 … behind it; in the end it knows that all have
  // come.
  Rounds barrier_rounds() const {
    Rounds rounds;
    for (int ahead = 1; ahead < ranks_; ahead *= 2)
      rounds.push_back(
          {{{(rank_ + ahead) % ranks_, {0}}}, {{(rank_ - ahead + ranks_) % ranks_, {1}}}});
    return rounds;
  }
  // Along a binomial tree to rank 0. Chunk i is the block of rank i, and a rank sends those of its
  // branch.
  Rounds gather_rounds() const {
    Rounds rounds;
    for (int apart = 1; apart < ranks_; apart *= 2) {
      const auto branch = [&](int rank) {
        std::vector<int> chunks(std::min(apart, ranks_ - rank));
        std::iota(chunks.begin(), chunks.end(), rank);
        return chunks;
      };
      Round& round = rounds.emplace_back();
      const int above = rank_ % (2 * apart);
      if (above == apart) round.sends.push_back({rank_ - apart, branch(rank_)});
      if (above == 0 && rank_ + apart < ranks_)
        round.receives.push_back({rank_ + apart, branch(rank_ + apart)});
    }
    return rounds;
  }
  // The sums of a chunk over the ranks from `first` up to each rank: in each round a rank adds what
  // the rank 1, 2, 4 … behind it has (Hillis, Steele, Commun. ACM 29 (1986) 1170).
  Rounds prefix_rounds(int first, int chunk) const {
    Rounds rounds;
    for (int apart = 1; apart < ranks_ - first; apart *= 2) {
      Round& round = rounds.emplace_back();
      if (rank_ >= first && rank_ + apart < ranks_) round.sends.push_back({rank_ + apart, {chunk}});
      if (rank_ - apart >= first) round.receives.push_back({rank_ - apart, {chunk}});
    }
    return rounds;
  }
  // A rank's values become the second chunk of the next rank.
  Rounds shift_rounds() const {
    if (ranks_ == 1) return {};
    Round round;
    if (rank_ + 1 < ranks_) round.sends.push_back({rank_ + 1, {0}});
    if (rank_ > 0) round.receives.push_back({rank_ - 1, {1}});
    return {round};
  }
  Rounds alltoall_rounds() const {
    const auto algorithm = manner_.algorithm == Algorithm::pairwise ? exchange::Transpose::pairwise
                                                                    : exchange::Transpose::ring;
    Rounds rounds = exchange::transpose_rounds(algorithm, rank_, ranks_);
    if (rounds.empty()) rounds.emplace_back();
    for (Round& round : rounds)
      for (exchange::Transfer& t : round.receives)
        for (int& chunk : t.chunks) chunk += ranks_;
    rounds.front().sends.push_back({rank_, {rank_}});
    rounds.front().receives.push_back({rank_, {ranks_ + rank_}});
    return rounds;
  }

  exchange::Exchanges allreduce() const {
    const exchange::SumAlgorithm algorithm = sum_algorithm(manner_.algorithm);
    exchange::Exchanges result;
    const auto add = [&](Rounds rounds, bool adds, const Regions& regions) {
      for (const auto& exchange : made(std::move(rounds), adds, regions))
        result.push_back(exchange);
    };
    if (algorithm != exchange::SumAlgorithm::library) {
      exchange::SumRounds rounds = exchange::sum_rounds(algorithm, rank_, nodes_);
      add(std::move(rounds.added), true, two_words());
      add(std::move(rounds.stored), false, two_words());
    } else {
      const Rounds rounds = scattered();
      add(rounds, true, shares());
      add(reversed(rounds), false, shares());
    }
    return result;
  }
  // One chunk for each rank: its share of the values.
  Regions shares() const {
    Regions regions;
    for (int i = 0; i < ranks_; ++i) {
      const auto [begin, end] = exchange::share(d_.bytes / 8, ranks_, i);
      regions.push_back({.offset = 8 * begin, .run = 8 * (end - begin), .repeats = nullptr});
    }
    return regions;
  }

  const Description& d_;
  Manner manner_;
  const std::vector<int>& nodes_;
  int ranks_, rank_;
  Memory memory_;
  exchange::TeamPointer team_;
};

}  // namespace

std::string_view phase_of(Operator operation) {
  constexpr std::string_view names[] = {
      "barrier", "broadcast", "allreduce", "reduce_scatter", "allgather", "alltoall", "alltoallv",
      "sum",     "reduce",    "gather",    "scatter",        "scan",      "exscan"};
  return names[static_cast<std::size_t>(operation)];
}

std::int64_t block_bytes(const Description& description, int from, int to) {
  if (description.operation != Operator::alltoallv) return description.bytes;
  const std::int64_t values = description.bytes / 8;
  return 8 * ((values * (1 + (from + to) % 3) + 1) / 2);
}

Memory::Memory(const Description& d, int ranks, int rank) {
  const int blocks = has_blocks(d.operation) ? ranks : 1;
  std::int64_t given = 0, got = 0;
  for (int i = 0; i < blocks; ++i) {
    out_.push_back(given);
    in_.push_back(got);
    given += block_bytes(d, rank, i);
    got += block_bytes(d, i, rank);
  }
  half = parallel::whole_lines(std::max(given, got));
}

exchange::Exchanges exchanges_of(const Description& description, const Manner& manner,
                                 const std::vector<int>& nodes, int rank) {
  if (manner.algorithm == Algorithm::library) return {};
  return Maker(description, manner, nodes, rank).make();
}

exchange::Collective library_call(const Description& d, const std::vector<int>& nodes, int rank) {
  using exchange::CollectiveKind;
  constexpr CollectiveKind kinds[] = {
      CollectiveKind::barrier,        CollectiveKind::broadcast,  CollectiveKind::sum,
      CollectiveKind::reduce_scatter, CollectiveKind::all_gather, CollectiveKind::all_to_all,
      CollectiveKind::all_to_all,     CollectiveKind::sum,        CollectiveKind::reduce,
      CollectiveKind::gather,         CollectiveKind::scatter,    CollectiveKind::scan,
      CollectiveKind::exclusive_scan};
  exchange::Collective call{.phase = phase_of(d.operation),
                            .team = nullptr,
                            .kind = kinds[static_cast<std::size_t>(d.operation)],
                            .blocking = d.blocking};
  const int ranks = static_cast<int>(nodes.size());
  if (has_blocks(d.operation))
    for (int i = 0; i < ranks; ++i) {
      call.sizes.push_back(block_bytes(d, rank, i));
      if (to_each(d.operation)) call.receives.push_back(block_bytes(d, i, rank));
    }
  else if (d.operation != Operator::barrier)
    call.sizes = {d.bytes};
  return call;
}

std::int64_t result_at(const Description& d, const Manner& manner, const std::vector<int>& nodes,
                       int rank) {
  const Memory memory(d, static_cast<int>(nodes.size()), rank);
  const bool library = manner.algorithm == Algorithm::library;
  switch (d.operation) {
    case Operator::reduce_scatter:
      return library ? memory.half : memory.out(rank);
    case Operator::allgather:
    case Operator::alltoall:
    case Operator::alltoallv:
    case Operator::gather:
    case Operator::exclusive_scan:
      return memory.half;
    case Operator::scatter:
      return library ? memory.half : memory.out(rank);
    case Operator::reduce:
    case Operator::scan:
      return library ? memory.half : 0;
    case Operator::allreduce:
      if (const auto algorithm = sum_algorithm(manner.algorithm);
          algorithm != exchange::SumAlgorithm::library)
        return exchange::sum_rounds(algorithm, rank, nodes).result * memory.half;
      return 0;
    default:
      return 0;
  }
}

}  // namespace phasewise::collectives
