// Runs planned exchanges round by round: packs the data, posts the messages, and adds or stores the
// data that arrive.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "comm/carrier.hpp"
#include "comm/communicator.hpp"
#include "comm/message_buffer.hpp"
#include "comm/recorder.hpp"
#include "exchange/exchange.hpp"
#include "exchange/message_rooms.hpp"
#include "exchange/packing.hpp"
#include "exchange/round_layout.hpp"
#include "parallel/clock.hpp"

namespace phasewise::comm {

class Executor {
 public:
  // Collective over all ranks. `teams` are those that make library calls; all ranks list the same
  // divisions in the same order. `threads` is the number of threads that pack and unpack.
  Executor(const Communicator& world, Recorder& recorder,
           const std::vector<exchange::TeamOfDivision>& teams, int threads = 1);

  // Collective over all ranks, which name the same exchanges in the same order; a rank gives null
  // for an exchange in which it takes no part. Replaces the exchanges prepared before. An exchange
  // that is repeated costs less if it was prepared, and some protocols need preparation. Throws
  // std::invalid_argument with one sentence if a protocol is unavailable, or cannot carry an
  // exchange.
  void prepare(const exchange::Exchanges& exchanges);

  // From now on, buffers on a device lie in this memory, and the library takes their messages from
  // it directly. The protocol of such exchanges must satisfy takes_device_memory.
  void use_device(std::shared_ptr<exchange::Memory> memory);

 private:
  // Data that arrived outside of the place where they belong.
  struct Arrival {
    std::byte* data;
    const exchange::RoundLayout::Part* part;
  };
  // The buffers of a round, and the memory of messages that are not sent or received in place.
  struct Places {
    std::byte *from, *to, *out, *in;
    bool operator==(const Places&) const = default;
  };
  // A round under way, or one kept for its repetition. A kept round reuses its messages if they are
  // in the same places.
  struct OneRound {
    Carrier* carrier = nullptr;
    std::unique_ptr<Carrier> owned;
    exchange::RoundLayout layout;
    Places places{};
    bool found = false;  // whether its messages in these places are known
    std::vector<Message> sends, receives;
    std::int64_t packed = 0, stored = 0;  // B
    exchange::Copies packs, unpacks;
    std::vector<Arrival> added;  // data to add instead of unpacking them
  };
  // An exchange that is repeated.
  struct Kept {
    exchange::ExchangePointer exchange;
    std::vector<OneRound*> rounds;
    KnownPhase phase;
  };

 public:
  // Exchanges under way that run one after the other on one channel. A channel has at most one
  // flight.
  class Flight {
   public:
    Flight() = default;
    // Starts anew; `list` appends the exchanges.
    template <class F>
    void start(Executor& executor, const F& list) {
      executor_ = &executor;
      works_.clear();
      list(works_);
      current_ = number_ = 0;
      begun_ = posted_ = false;
    }
    // Advances as far as possible without waiting; returns true when all exchanges are done.
    bool progress();
    void finish();

   private:
    bool advance(bool wait);
    // Both return whether the exchange is done.
    bool run_by_library(bool wait);
    bool run_rounds(bool wait);
    // Whether the next step waits for ranks that may themselves wait for another flight of this
    // rank.
    bool blocks() const;
    void begin_exchange();
    void begin_round();
    void end_round();
    OneRound& next_round();
    Places places_of(const exchange::RoundLayout& layout) const;
    exchange::MessageRooms& rooms() const { return executor_->rooms_of(works_[current_].to); }
    // Finds the round's messages in these places.
    void find(OneRound& round, const Places& places) const;
    void expect(OneRound& round) const;
    void give(OneRound& round) const;
    void store(OneRound& round, std::byte* data, const exchange::RoundLayout::Part& part) const;
    static void pack(OneRound& round, std::byte* data, const exchange::RoundLayout::Part& part);

    Executor* executor_ = nullptr;
    exchange::Works works_;
    std::size_t current_ = 0, number_ = 0;  // of the exchange and its round
    bool begun_ = false, posted_ = false;
    int phase_ = 0;                  // the exchange's
    Kept* kept_ = nullptr;           // the exchange, if it is repeated
    OneRound* round_ = nullptr;      // under way
    std::unique_ptr<OneRound> own_;  // the round, if its exchange is not kept
    Pending pending_;
  };

  // The communicator of one of the teams; throws std::logic_error for another team.
  const Communicator& among(const exchange::Team& team) const;

  // The forward or backward transpose of the exchange's grids, which are the items of the buffers.
  void transpose(const exchange::TransposeExchange& exchange, const exchange::ItemBuffer& from,
                 const exchange::ItemBuffer& to);

 private:
  // The rooms for messages in the memory that this buffer lies in.
  exchange::MessageRooms& rooms_of(const exchange::ItemBuffer& buffer);
  // Packs fragments of a buffer into a message, or unpacks them.
  void pack(std::span<const exchange::Fragment> fragments, const exchange::ItemBuffer& from,
            std::byte* message);
  void unpack(std::span<const exchange::Fragment> fragments, const exchange::ItemBuffer& to,
              std::byte* message);
  void run_by_library(const exchange::Work& work);
  // Returns null if nothing is kept of the exchange.
  Kept* kept(const exchange::ExchangePointer& exchange);
  // Keeps the exchange's next round.
  Kept& keep(const exchange::ExchangePointer& exchange);
  Carrier& stateless(const exchange::ExchangePointer& exchange);
  void transpose_by_library(const exchange::TransposeExchange& exchange,
                            const exchange::ItemBuffer& from, const exchange::ItemBuffer& to);
  void transpose_straight(const exchange::TransposeExchange& exchange,
                          const exchange::ItemBuffer& from, const exchange::ItemBuffer& to);
  void copy_own_block(const exchange::TransposeExchange& exchange, const exchange::ItemBuffer& from,
                      const exchange::ItemBuffer& to);
  void transpose_by_bruck(const exchange::TransposeExchange& exchange,
                          const exchange::ItemBuffer& from, const exchange::ItemBuffer& to);
  // Passes slots on, one for each member: slot j of `out` goes to member j, slot j of `in` comes
  // from it. `out` and `in` are null in a skeleton run.
  void pass_on(const exchange::TransposeExchange& exchange, exchange::MessageRooms& rooms,
               std::byte* out, std::byte* in);
  void bruck_round(const exchange::TransposeExchange& exchange, const exchange::Round& round,
                   exchange::MessageRooms& rooms, std::byte* slots);
  struct Slots {
    std::byte* data;
    const std::vector<int>& numbers;
  };
  void copy_slots(exchange::Memory& memory, std::int64_t slot, const Slots& to, const Slots& from);
  // Calls f, which unpacks or adds, and counts its time as the phase's computing. On a real
  // machine, moving `untimed` bytes takes less time than reading the clock, and is not timed.
  static constexpr std::int64_t untimed = 2048;
  template <class F>
  void computing(int phase, std::int64_t bytes, F&& f);

  const Communicator& world_;
  Recorder& recorder_;
  std::map<std::vector<int>, Communicator> among_;  // by the ranks of a team
  exchange::MessageRooms host_;
  std::unique_ptr<exchange::MessageRooms> device_;  // null: no buffer is on a device
  SkeletonMemory skeleton_;
  std::vector<std::unique_ptr<OneRound>> rounds_;  // freed in this order, on all ranks alike
  std::unordered_map<const exchange::Exchange*, Kept> kept_;
  // Some of the kept exchanges, each in the place that its address gives.
  std::array<std::pair<const exchange::Exchange*, Kept*>, 16> recent_{};
  std::array<std::array<std::unique_ptr<Carrier>, exchange::channels>, exchange::protocols>
      stateless_;
  exchange::Fragments fragments_;  // those being packed or unpacked
  exchange::Copies copies_;        // those being packed, unpacked or added
};

template <class F>
void Executor::computing(int phase, std::int64_t bytes, F&& f) {
  if (bytes <= untimed && !simulated() && !recorder_.keeps_events()) return f();
  const double start = recorder_.now();
  f();
  parallel::clock().charge(0.0, static_cast<double>(bytes));
  recorder_.computed(phase, start, recorder_.now());
}

}  // namespace phasewise::comm
