#include "comm/executor.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "comm/message_buffer.hpp"
#include "parallel/clock.hpp"

namespace phasewise::comm {
namespace {

std::int64_t values(const Exchange& exchange, const Transfer& transfer) {
  return exchange.bytes(transfer) / 8;
}

// Calls f(start, count) with each run of values of the chunks of a transfer, as they lie in a
// buffer.
template <class F>
void for_each_run(const Exchange& exchange, const Transfer& transfer, std::int64_t item_size,
                  F&& f) {
  for (const int chunk : transfer.chunks) {
    const Block& block = exchange.blocks[chunk];
    if (block.count > 0)
      for (const int item : *block.items) f(item * item_size + block.first, block.count);
  }
}

// The start of a transfer's values where they lie in one piece, else -1.
std::int64_t single_piece(const Exchange& exchange, const Transfer& transfer,
                          std::int64_t item_size) {
  std::int64_t first = -1, end = -1;
  bool whole = true;
  for_each_run(exchange, transfer, item_size, [&](std::int64_t start, std::int64_t count) {
    if (first < 0)
      first = start;
    else if (start != end)
      whole = false;
    end = start + count;
  });
  return whole ? first : -1;
}

}  // namespace

Executor::Executor(const Communicator& world, Recorder& recorder,
                   const std::vector<TeamOfDivision>& teams)
    : world_(world), recorder_(recorder) {
  for (const auto& [team, number] : teams)
    among_.insert_or_assign(team->ranks, world.split(number, team->me));
}

Executor::~Executor() {
  for (double* buffer : hollows_) free_message_buffer(buffer);
}

const Communicator& Executor::among(const Team& team) const {
  const auto found = among_.find(team.ranks);
  if (found == among_.end())
    throw std::logic_error("a library call of a team that the executor was not given");
  return found->second;
}

// A smaller one may still be under way, and stays.
double* Executor::hollow(std::int64_t values) {
  if (values > hollow_size_) {
    hollows_.push_back(static_cast<double*>(
        allocate_message_buffer(static_cast<std::size_t>(values) * sizeof(double))));
    hollow_size_ = values;
  }
  return hollows_.empty() ? nullptr : hollows_.back();
}

template <class F>
void Executor::computing(int phase, std::int64_t bytes, F&& f) {
  const double start = parallel::clock().now();
  f();
  parallel::clock().charge(0.0, static_cast<double>(bytes));
  recorder_.computed(phase, start, parallel::clock().now());
}

void Executor::pack(const Work& work, const Transfer& transfer, double* to) const {
  for_each_run(work.exchange, transfer, work.from.item_size,
               [&](std::int64_t start, std::int64_t count) {
                 std::memcpy(to, work.from.data + start, count * sizeof(double));
                 to += count;
               });
}

void Executor::unpack(const Work& work, const Transfer& transfer, const double* from) const {
  for_each_run(work.exchange, transfer, work.to.item_size,
               [&](std::int64_t start, std::int64_t count) {
                 double* to = work.to.data + start;
                 if (work.exchange.adds)
                   for (std::int64_t i = 0; i < count; ++i) to[i] += from[i];
                 else
                   std::memcpy(to, from, count * sizeof(double));
                 from += count;
               });
}

Executor::Flight::Flight(Executor& executor, std::vector<Work> work)
    : executor_(&executor), work_(std::move(work)) {}

bool Executor::Flight::progress() { return advance(false); }

void Executor::Flight::finish() { advance(true); }

// Goes through the rounds; where it may not wait, it returns at the first one that is not done.
bool Executor::Flight::advance(bool wait) {
  while (current_ < work_.size()) {
    const Exchange& exchange = work_[current_].exchange;
    Recorder& recorder = executor_->recorder_;
    const InPhase in(recorder, recorder.phase(exchange.phase), begun_);
    begun_ = true;
    if (exchange.by_library()) {
      // It waits for ranks that may themselves wait for another flight of this one.
      if (!wait) return false;
      executor_->run_by_library(work_[current_]);
    } else {
      for (; round_ < exchange.rounds->size(); ++round_) {
        if (!posted_) begin_round();
        if (wait)
          pending_.wait();
        else if (!pending_.test())
          return false;
        end_round();
      }
    }
    ++current_;
    round_ = 0;
    begun_ = false;
  }
  return true;
}

void Executor::Flight::begin_round() {
  const Work& work = work_[current_];
  const Exchange& exchange = work.exchange;
  const Round& round = (*exchange.rounds)[round_];
  const int channel = static_cast<int>(exchange.channel);
  Recorder& recorder = executor_->recorder_;
  const int phase = recorder.phase(exchange.phase);
  const bool hollow = work.to.data == nullptr;

  std::int64_t in = 0, out = 0, largest = 0, packed = 0;
  for (const Transfer& t : round.receives) in += values(exchange, t);
  for (const Transfer& t : round.sends) {
    out += values(exchange, t);
    largest = std::max(largest, values(exchange, t));
  }
  double *to = nullptr, *from = nullptr;
  if (hollow) {
    to = from = executor_->hollow(std::max(in, largest));
  } else {
    executor_->outgoing_[channel].reserve(out);
    executor_->incoming_[channel].reserve(in);
    from = executor_->outgoing_[channel].data();
    to = executor_->incoming_[channel].data();
  }

  std::vector<Message> receives, sends;
  arrivals_.clear();
  for (const Transfer& t : round.receives) {
    const std::int64_t count = values(exchange, t);
    if (count == 0) continue;
    const std::int64_t piece =
        exchange.adds || hollow ? -1 : single_piece(exchange, t, work.to.item_size);
    double* target = piece < 0 ? to : work.to.data + piece;
    arrivals_.push_back({&t, target, piece >= 0});
    receives.push_back({exchange.team->ranks[t.peer], target, count});
    if (piece < 0 && !hollow) to += count;
  }
  for (const Transfer& t : round.sends) {
    const std::int64_t count = values(exchange, t);
    if (count == 0) continue;
    const std::int64_t piece = hollow ? -1 : single_piece(exchange, t, work.from.item_size);
    double* source = piece < 0 ? from : work.from.data + piece;
    if (piece < 0 && !hollow) {
      executor_->pack(work, t, from);
      from += count;
      packed += count;
    }
    sends.push_back({exchange.team->ranks[t.peer], source, count});
  }
  if (packed > 0) parallel::clock().charge(0.0, 16.0 * static_cast<double>(packed));
  pending_ = executor_->world_.post(phase, exchange.channel, sends, receives);
  posted_ = true;
}

void Executor::Flight::end_round() {
  const Work& work = work_[current_];
  posted_ = false;
  std::int64_t arrived = 0;
  for (const Arrival& arrival : arrivals_)
    if (!arrival.in_place) arrived += values(work.exchange, *arrival.transfer);
  if (arrived == 0) return;
  const int phase = executor_->recorder_.phase(work.exchange.phase);
  executor_->computing(phase, (work.exchange.adds ? 24 : 16) * arrived, [&] {
    if (work.to.data == nullptr) return;
    for (const Arrival& arrival : arrivals_)
      if (!arrival.in_place) executor_->unpack(work, *arrival.transfer, arrival.data);
  });
}

void Executor::run_by_library(const Work& work) {
  const Exchange& exchange = work.exchange;
  const Communicator& members = among(*exchange.team);
  const std::string phase(exchange.phase);
  std::vector<int> counts;
  std::int64_t all = 0;
  for (const Block& block : exchange.blocks) {
    counts.push_back(static_cast<int>(block.values()));
    all += block.values();
  }
  if (all == 0) return;
  Transfer everything{0, {}}, mine{0, {exchange.team->me}};
  for (int chunk = 0; chunk < std::ssize(exchange.blocks); ++chunk)
    everything.chunks.push_back(chunk);
  std::int64_t before = 0;
  for (int chunk = 0; chunk < exchange.team->me; ++chunk) before += counts[chunk];

  const bool contents = work.to.data != nullptr;
  double* packed = nullptr;
  if (contents) {
    parallel::Buffer<double>& buffer = outgoing_[static_cast<int>(exchange.channel)];
    buffer.reserve(all);
    packed = buffer.data();
  } else {
    packed = hollow(all);
  }
  const std::span<double> span(packed, static_cast<std::size_t>(all));
  const Work here{exchange, work.to, work.to};
  if (contents) {
    if (exchange.adds) {
      pack(here, everything, packed);
    } else {
      if (exchange.form == LibraryForm::all_reduced) std::fill_n(packed, all, 0.0);
      pack(here, mine, packed + before);
    }
  }
  const auto store = [&](const Transfer& what, const double* from) {
    Exchange plain = exchange;
    plain.adds = false;
    if (contents) unpack({plain, work.to, work.to}, what, from);
  };
  if (exchange.form == LibraryForm::all_reduced) {
    members.sum(phase, span);
    store(exchange.adds ? mine : everything, exchange.adds ? packed + before : packed);
  } else if (exchange.adds) {
    members.reduce_scatter(phase, span, counts);
    store(mine, packed);
  } else if (exchange.form == LibraryForm::gathered) {
    members.gather_and_broadcast(phase, span, counts);
    store(everything, packed);
  } else {
    members.all_gather(phase, span, counts);
    store(everything, packed);
  }
}

void Executor::transpose(const TransposeExchange& exchange, Complex* out, Complex* in) {
  const int me = exchange.team->me;
  const std::int64_t slot = exchange.items * exchange.block;
  const int phase = recorder_.phase(exchange.phase);
  const InPhase in_phase(recorder_, phase);
  const bool contents = out != nullptr;
  if (contents) std::copy_n(out + me * slot, slot, in + me * slot);
  if (exchange.algorithm == Transpose::bruck) return bruck(exchange, out, in);
  double* from = contents ? reinterpret_cast<double*>(out) : hollow(2 * slot);
  double* to = contents ? reinterpret_cast<double*>(in) : from;
  const std::int64_t stride = contents ? 2 * slot : 0;
  for (const Round& round : *exchange.rounds) {
    std::vector<Message> sends, receives;
    for (const Transfer& t : round.sends)
      sends.push_back({exchange.team->ranks[t.peer], from + t.chunks[0] * stride, 2 * slot});
    for (const Transfer& t : round.receives)
      receives.push_back({exchange.team->ranks[t.peer], to + t.chunks[0] * stride, 2 * slot});
    world_.post(phase, Channel::transpose, sends, receives).wait();
  }
}

// Slot i: at first the block for me + i, at last the block from me - i. Bruck et al., IEEE TPDS 8
// (1997) 1143.
void Executor::bruck(const TransposeExchange& exchange, Complex* out, Complex* in) {
  const int p = static_cast<int>(exchange.team->ranks.size()), me = exchange.team->me;
  const std::int64_t slot = exchange.items * exchange.block;
  const int phase = recorder_.phase(exchange.phase);
  const bool contents = out != nullptr;
  const auto channel = static_cast<int>(Channel::transpose);
  if (contents)
    for (int i = 0; i < p; ++i) std::copy_n(out + (me + i) % p * slot, slot, in + i * slot);
  for (const Round& round : *exchange.rounds) {
    if (round.sends.empty() && round.receives.empty()) continue;
    const auto& sent = round.sends.front();
    const auto& received = round.receives.front();
    const std::int64_t count = 2 * slot * std::ssize(sent.chunks);
    double *from = nullptr, *to = nullptr;
    if (contents) {
      outgoing_[channel].reserve(count);
      incoming_[channel].reserve(count);
      from = outgoing_[channel].data();
      to = incoming_[channel].data();
      for (std::size_t i = 0; i < sent.chunks.size(); ++i)
        std::memcpy(from + i * 2 * slot, in + sent.chunks[i] * slot, slot * sizeof(Complex));
    } else {
      from = to = hollow(count);
    }
    const Message send{exchange.team->ranks[sent.peer], from, count};
    const Message receive{exchange.team->ranks[received.peer], to, count};
    world_.post(phase, Channel::transpose, {&send, 1}, {&receive, 1}).wait();
    if (contents)
      for (std::size_t i = 0; i < received.chunks.size(); ++i)
        std::memcpy(reinterpret_cast<double*>(in + received.chunks[i] * slot), to + i * 2 * slot,
                    slot * sizeof(Complex));
  }
  if (!contents) return;
  std::copy_n(in, p * slot, out);
  for (int i = 0; i < p; ++i) std::copy_n(out + i * slot, slot, in + (me - i + p) % p * slot);
}

void Executor::transpose_by_library(const TransposeExchange& exchange, const Complex* from,
                                    const std::vector<StridedBlock>& sends, Complex* to,
                                    const std::vector<StridedBlock>& receives) {
  const bool contents = from != nullptr;
  std::int64_t most = 0;
  for (const auto* blocks : {&sends, &receives})
    for (const StridedBlock& block : *blocks)
      most = std::max(most, 2 * (block.offset + block.outer * block.outer_stride +
                                 block.inner * block.inner_stride));
  const auto located = [&](const std::vector<StridedBlock>& blocks, Complex* base) {
    std::vector<ComplexBlock> result;
    result.reserve(blocks.size());
    for (const StridedBlock& block : blocks)
      result.push_back(
          {base + block.offset, block.outer, block.outer_stride, block.inner, block.inner_stride});
    return result;
  };
  auto* nothing = contents ? nullptr : reinterpret_cast<Complex*>(hollow(2 * most));
  among(*exchange.team)
      .transpose(recorder_.phase(exchange.phase),
                 located(sends, contents ? const_cast<Complex*>(from) : nothing),
                 located(receives, contents ? to : nothing + most / 2));
}

}  // namespace phasewise::comm
