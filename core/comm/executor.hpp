// Runs planned exchanges round by round: packs the data, posts the messages, and adds or stores the
// data that arrive.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "comm/message_buffer.hpp"
#include "comm/packing.hpp"
#include "comm/persistent.hpp"
#include "comm/recorder.hpp"
#include "parallel/buffer.hpp"
#include "parallel/clock.hpp"

namespace phasewise::comm {

struct Work {
  ExchangePointer exchange;
  ItemBuffer from, to;
};

class Executor {
 public:
  // Collective over all ranks. `teams` make library calls; all ranks list the same divisions in the
  // same order. `threads` is the number of threads that pack and unpack.
  Executor(const Communicator& world, Recorder& recorder, const std::vector<TeamOfDivision>& teams,
           int threads = 1);

  // Exchanges under way that run one after the other on one channel; a channel has at most one
  // flight.
  class Flight {
   public:
    Flight() = default;
    // Advances as far as possible without waiting; returns true when all exchanges are done.
    bool progress();
    void finish();

   private:
    friend class Executor;
    Flight(Executor& executor, std::vector<Work> work);
    bool advance(bool wait);
    // Whether an exchange makes blocking calls: they wait for ranks that may themselves wait for
    // another flight of this one.
    static bool blocks(const Exchange& exchange) {
      return exchange.by_library() || exchange.variant == Variant::sendrecv;
    }
    void begin_round();
    void end_round();
    void expect(const Transfer& transfer, std::byte*& staging, std::vector<Message>& receives);
    void give(const Transfer& transfer, std::byte*& staging, std::vector<Message>& sends);

    // Data that arrive, and their fragments in the buffer: [first, last) of arriving_.
    struct Arrival {
      const std::byte* data;
      std::int64_t bytes;
      std::size_t first, last;
    };
    Executor* executor_ = nullptr;
    std::vector<Work> work_;
    std::size_t current_ = 0, round_ = 0;
    bool begun_ = false, posted_ = false;
    Pending pending_;
    std::vector<Arrival> arrivals_;     // of the round, except those received in place
    std::vector<std::size_t> from_me_;  // arrivals from this rank itself, not yet filled
    Fragments arriving_;
    std::int64_t packed_ = 0;  // bytes of the round
  };
  Flight start(std::vector<Work> work) { return Flight(*this, std::move(work)); }

  // The ranks of one of the teams; throws std::logic_error for another one.
  const Communicator& among(const Team& team) const;

  // Forward or backward transpose of the exchange's grids, which are the items of the buffers.
  void transpose(const TransposeExchange& exchange, const ItemBuffer& from, const ItemBuffer& to);

 private:
  using Bytes = parallel::Buffer<std::byte>;

  void run_by_library(const Work& work);
  // Posts the messages of a round by the exchange's variant.
  Pending post(const ExchangePointer& exchange, std::size_t round, std::span<const Message> sends,
               std::span<const Message> receives);
  Pending start_persistent(const ExchangePointer& exchange, std::size_t round,
                           std::span<const Message> sends, std::span<const Message> receives);
  void transpose_by_library(const TransposeExchange& exchange, const ItemBuffer& from,
                            const ItemBuffer& to);
  // Both exchange slots, one for each member: slot j of `out` goes to member j, slot j of `in`
  // comes from it. `out` and `in` are null in a skeleton run.
  void transpose_straight(const TransposeExchange& exchange, std::byte* out, std::byte* in);
  void transpose_by_bruck(const TransposeExchange& exchange, std::byte* out, std::byte* in);
  // Calls f, which unpacks or adds, and counts its time as the phase's computing.
  template <class F>
  void computing(int phase, std::int64_t bytes, F&& f);

  const Communicator& world_;
  Recorder& recorder_;
  int threads_;
  std::map<std::vector<int>, Communicator> among_;  // by the ranks of a team
  std::array<Bytes, channels> outgoing_, incoming_;
  Bytes slots_out_, slots_in_;
  SkeletonMemory skeleton_;
  struct Persistent {
    ExchangePointer exchange;
    PersistentMessages messages;
  };
  std::map<std::pair<const Exchange*, std::size_t>, Persistent> persistent_;  // by round
  Fragments fragments_;  // of what is being packed or unpacked
};

template <class F>
void Executor::computing(int phase, std::int64_t bytes, F&& f) {
  const double start = parallel::clock().now();
  f();
  parallel::clock().charge(0.0, static_cast<double>(bytes));
  recorder_.computed(phase, start, parallel::clock().now());
}

}  // namespace phasewise::comm
