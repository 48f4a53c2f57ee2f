// Runs planned exchanges: packs what is sent, posts the messages of a round, adds or stores what
// has come, and goes on to the next round.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "comm/recorder.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::comm {

// Where an exchange finds its items; null in a run without particles, which sends messages of the
// true sizes and no contents.
struct ItemBuffer {
  double* data = nullptr;
  std::int64_t item_size = 0;  // doubles
};

struct Work {
  Exchange exchange;
  ItemBuffer from, to;
};

// Where the blocks of a transpose lie in a grid: `outer` runs of `inner` complex values, apart by
// so many values.
struct StridedBlock {
  std::int64_t offset;
  int outer;
  std::int64_t outer_stride;
  int inner;
  std::int64_t inner_stride;
};

class Executor {
 public:
  // Collective over all ranks. `teams`: those that make library calls; all ranks list the same
  // divisions in the same order.
  Executor(const Communicator& world, Recorder& recorder, const std::vector<TeamOfDivision>& teams);
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Exchanges of one channel under way, one after the other; at most one such flight in a channel.
  class Flight {
   public:
    Flight() = default;
    // Goes on as far as it can without waiting; true when all is done.
    bool progress();
    void finish();

   private:
    friend class Executor;
    Flight(Executor& executor, std::vector<Work> work);
    bool advance(bool wait);
    void begin_round();
    void end_round();
    Executor* executor_ = nullptr;
    std::vector<Work> work_;
    std::size_t current_ = 0, round_ = 0;
    bool begun_ = false, posted_ = false;
    Pending pending_;
    struct Arrival {
      const Transfer* transfer;
      const double* data;
      bool in_place;
    };
    std::vector<Arrival> arrivals_;  // of the round
  };
  Flight start(std::vector<Work> work) { return Flight(*this, std::move(work)); }

  // `out` and `in` hold a slot of items·block complex values for each process of the column: slot j
  // of `out` goes to process j, slot j of `in` comes from it. Null: without contents.
  using Complex = std::complex<double>;
  void transpose(const TransposeExchange& exchange, Complex* out, Complex* in);
  // The library's, of one grid, straight from where it lies to where it goes.
  void transpose_by_library(const TransposeExchange& exchange, const Complex* from,
                            const std::vector<StridedBlock>& sends, Complex* to,
                            const std::vector<StridedBlock>& receives);

 private:
  void run_by_library(const Work& work);
  void pack(const Work& work, const Transfer& transfer, double* to) const;
  void unpack(const Work& work, const Transfer& transfer, const double* from) const;
  void bruck(const TransposeExchange& exchange, Complex* out, Complex* in);
  const Communicator& among(const Team& team) const;
  // For the packing and unpacking, whose time counts as the phase's computing.
  template <class F>
  void computing(int phase, std::int64_t bytes, F&& f);

  const Communicator& world_;
  Recorder& recorder_;
  std::map<std::vector<int>, Communicator> among_;  // by the ranks of a team
  std::array<parallel::Buffer<double>, channels> outgoing_, incoming_;
  // Where messages without contents come from and go to, all of them.
  double* hollow(std::int64_t values);
  std::vector<double*> hollows_;
  std::int64_t hollow_size_ = 0;
};

}  // namespace phasewise::comm
