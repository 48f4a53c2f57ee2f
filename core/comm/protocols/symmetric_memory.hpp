// Symmetric memory of a transport, of which all ranks have the same size, handed out in parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "comm/transport.h"
#include "exchange/protocol.hpp"

namespace phasewise::comm {

// The parts in use of a row of numbered places.
class Parts {
 public:
  // Takes the first free part of this size, above zero; returns its first place.
  std::int64_t take(std::int64_t size);
  void give_back(std::int64_t first) { end_.erase(first); }
  bool none() const { return end_.empty(); }
  // The place after the last part.
  std::int64_t end() const { return end_.empty() ? 0 : end_.rbegin()->second; }

 private:
  std::map<std::int64_t, std::int64_t> end_;  // end of each part, by its first place
};

// A part of a transport's memory, and flags.
class SymmetricMemory {
 public:
  // Constructor and destructor are collective over all ranks, which give the same numbers, above
  // zero, and free in the same order. Places and numbers of flags count from the part's beginning;
  // all flags start at 0. Throws std::invalid_argument if the transport is missing or has no more
  // memory.
  SymmetricMemory(exchange::Protocol protocol, std::int64_t bytes, std::int64_t flags);
  ~SymmetricMemory();
  SymmetricMemory(const SymmetricMemory&) = delete;
  SymmetricMemory& operator=(const SymmetricMemory&) = delete;

  // Valid until another part is made.
  std::byte* at(std::int64_t place) const;
  void put(int rank, std::int64_t place, const std::byte* data, std::int64_t bytes) const;
  // Sets a flag at a rank when the puts to it are there; values go up by one. `clock` is in
  // seconds.
  void raise(int rank, std::int64_t flag, std::int64_t value, double clock) const;
  // Waits until a flag here has reached a value; returns the sender's clock.
  double await(std::int64_t flag, std::int64_t value) const;

 private:
  struct Heap;
  Heap& heap_;
  std::int64_t first_byte_, first_flag_;
};

}  // namespace phasewise::comm
