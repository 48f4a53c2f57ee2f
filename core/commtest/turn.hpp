// One rank's part in an exchange of its pair, written once for all listeners.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "commtest/exchanges.hpp"
#include "parallel/buffer.hpp"
#include "workload/workload.hpp"

namespace phasewise::commtest {

// The turn has a single piece.
inline constexpr workload::Piece the_piece{.name = "exchange"};

class Turn : public workload::RankTurn {
 public:
  // real: has memory for the messages; otherwise it only reports its actions to the listener. The
  // description must outlive the turn. Throws std::bad_alloc.
  // nodes: of all ranks.
  Turn(const Description& description, const Role& role, const std::vector<int>& nodes, int rank,
       bool real);

  void tell(const workload::Piece& piece, workload::Listener& listener) override;
  // Begins exchange `number`; the bytes of the messages depend on it.
  void begin(std::int64_t number) { number_ = number; }
  const comm::Exchanges& exchanges() const { return exchanges_; }
  void set_manner(const Manner& manner);

  // Results of the last verified exchange over all ranks: the number of bytes that arrived wrong,
  // and the sum of all bytes that arrived modulo 2^53.
  std::int64_t wrong() const { return checks_[0]; }
  std::int64_t checksum() const { return checks_[1]; }
  // The last message that arrived here; empty where none does.
  std::span<const std::byte> arrived() const;

 private:
  // Bytes that a rank made: where they lie, and what they are.
  struct Stretch {
    std::int64_t offset, bytes;
    int maker, message;
  };
  std::vector<Stretch> made() const, expected() const;
  std::size_t first_value(const Stretch& stretch) const;
  void fill();
  void check();

  const Description& description_;
  Role role_;
  std::vector<int> nodes_;
  int rank_;
  Memory layout_;
  std::int64_t number_ = 0;
  comm::Exchanges exchanges_;
  parallel::Buffer<std::byte> memory_;
  std::array<std::int64_t, 2> checks_{};
};

}  // namespace phasewise::commtest
