// Runs planned exchanges round by round: packs the data, posts the messages, and adds or stores the
// data that arrive.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "comm/carrier.hpp"
#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "comm/message_buffer.hpp"
#include "comm/packing.hpp"
#include "comm/recorder.hpp"
#include "comm/round_layout.hpp"
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

  // Collective over all ranks: they name the same exchanges in the same order; a rank names null
  // where it takes no part. Replaces those prepared before. An exchange that is repeated costs less
  // if it was prepared, and some protocols need it. Throws std::invalid_argument with one sentence
  // if a protocol is unavailable, or cannot carry an exchange.
  void prepare(const Exchanges& exchanges);

 private:
  // A round of an exchange that is repeated.
  struct Kept {
    ExchangePointer exchange;
    std::unique_ptr<Carrier> owned;
    Carrier* carrier = nullptr;
    RoundLayout layout;
  };

 public:
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
    // Whether what comes next waits for ranks that may themselves wait for another flight of this
    // one.
    bool blocks() const;
    void begin_round();
    void end_round();
    void expect(const RoundLayout& layout, std::byte* staging);
    void give(const RoundLayout& layout, std::byte* staging);
    void copy(const RoundLayout& layout, std::byte* staging);

    // Data that arrive and are not where they belong.
    struct Arrival {
      const std::byte* data;
      const RoundLayout::Part* part;
    };
    Executor* executor_ = nullptr;
    std::vector<Work> work_;
    std::size_t current_ = 0, round_ = 0;
    bool begun_ = false, posted_ = false;
    Pending pending_;
    Kept* kept_ = nullptr;  // the round under way
    Kept own_;              // if its exchange is not kept
    std::vector<Arrival> arrivals_;
    std::vector<Message> sends_, receives_;
    std::int64_t staged_ = 0, packed_ = 0;  // bytes of the round
  };
  Flight start(std::vector<Work> work) { return Flight(*this, std::move(work)); }

  // The ranks of one of the teams; throws std::logic_error for another one.
  const Communicator& among(const Team& team) const;

  // Forward or backward transpose of the exchange's grids, which are the items of the buffers.
  void transpose(const TransposeExchange& exchange, const ItemBuffer& from, const ItemBuffer& to);

 private:
  using Bytes = parallel::Buffer<std::byte>;

  void run_by_library(const Work& work);
  // What is kept of a round; null if nothing is.
  Kept* kept(const ExchangePointer& exchange, std::size_t round);
  void keep(const ExchangePointer& exchange, std::size_t round);
  Carrier& stateless(const ExchangePointer& exchange);
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
  std::vector<std::unique_ptr<Kept>> kept_;  // freed in this order, on all ranks alike
  std::map<std::pair<const Exchange*, std::size_t>, Kept*> find_kept_;  // by round
  std::array<std::array<std::unique_ptr<Carrier>, channels>, protocols> stateless_;
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
