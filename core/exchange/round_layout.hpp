// Where the data of a round's messages lie in the buffers, relative to their beginnings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exchange/exchange.hpp"
#include "exchange/packing.hpp"

namespace phasewise::exchange {

struct RoundLayout {
  struct Part {
    int peer;  // among all
    std::int64_t bytes;
    std::size_t first, last;  // fragments
    bool in_one_piece;
  };
  // What this rank copies to itself.
  struct ToSelf {
    Part from, to;
  };

  std::vector<Part> sends, receives;  // to and from other ranks; none is empty
  std::vector<ToSelf> to_self;
  Fragments fragments;
  std::int64_t from_item = -1, to_item = -1;              // B
  std::int64_t bytes_out = 0, bytes_in = 0, largest = 0;  // B, with those to itself

  // Lays out a round for items of these sizes. Does nothing and returns false if it was already
  // laid out for the same sizes. A layout belongs to one round.
  bool make(const Exchange& exchange, const Round& round, std::int64_t from_item_size,
            std::int64_t to_item_size);
  std::span<const Fragment> of(const Part& part) const {
    return std::span(fragments).subspan(part.first, part.last - part.first);
  }
  std::int64_t begin_of(const Part& part) const { return fragments[part.first].at; }

 private:
  Part part_of(const Exchange& exchange, const Transfer& transfer, std::int64_t item_size);
};

}  // namespace phasewise::exchange
