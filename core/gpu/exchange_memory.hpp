// A device's memory as exchanges use it: its kernels pack, unpack and add messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "exchange/memory.hpp"
#include "gpu/launch.hpp"
#include "gpu/platform.hpp"
#include "parallel/macros.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

struct StoreWord {
  template <class Word>
  PHASEWISE_HD void operator()(Word* to, const Word* from) const {
    *to = *from;
  }
};
struct AddWord {
  PHASEWISE_HD void operator()(double* to, const double* from) const { *to += *from; }
};

// The i-th word of one end, with `words` words in a run.
template <class Word, class Byte>
PHASEWISE_HD Word* word_of(Byte* data, const exchange::Copy::End& end, const exchange::Copy& all,
                           std::int64_t words, std::int64_t i) {
  const std::int64_t run = i / words, row = run / all.count;
  return reinterpret_cast<Word*>(data + row * end.row_stride + run % all.count * end.stride) +
         i % words;
}

// Calls `act` with both ends of each word of all copies, in a thread each.
template <class Word, class Act>
void for_each_word(const char* name, Array<exchange::Copy>& room,
                   std::span<const exchange::Copy> copies, const Act act) {
  room.copy_from(copies.data(), std::ssize(copies));
  std::int64_t most = 0;
  for (const exchange::Copy& copy : copies) most = std::max(most, copy.bytes());
  const exchange::Copy* todo = room.data();
  for_each_of_tasks(name, static_cast<int>(copies.size()),
                    most / static_cast<std::int64_t>(sizeof(Word)),
                    [=] PHASEWISE_DEVICE(int task, std::int64_t i) {
                      const exchange::Copy& copy = todo[task];
                      const std::int64_t words = copy.run / sizeof(Word);
                      if (i >= words * copy.count * copy.rows) return;
                      act(word_of<Word>(copy.to.data, copy.to, copy, words, i),
                          word_of<const Word>(copy.from.data, copy.from, copy, words, i));
                    });
}

// Whether all runs are whole words of 8 B that begin at multiples of 8.
inline bool are_words(std::span<const exchange::Copy> copies) {
  constexpr std::uint64_t word = 8;
  std::uint64_t bits = 0;
  for (const exchange::Copy& copy : copies) {
    bits |= static_cast<std::uint64_t>(copy.run);
    for (const exchange::Copy::End& end : {copy.to, copy.from})
      bits |= reinterpret_cast<std::uintptr_t>(end.data) | static_cast<std::uint64_t>(end.stride) |
              static_cast<std::uint64_t>(end.row_stride);
  }
  return bits % word == 0;
}

class ExchangeMemory final : public exchange::Memory {
 public:
  // New memory is set to zero, so that no kernel ever reads what nothing wrote.
  std::byte* allocate(std::int64_t bytes) override {
    void* made = gpu::PHASEWISE_PLATFORM::allocate(static_cast<std::size_t>(bytes));
    zero(static_cast<std::byte*>(made), bytes);
    return static_cast<std::byte*>(made);
  }
  void release(std::byte* data) override { gpu::PHASEWISE_PLATFORM::release(data); }
  void copy(std::span<const exchange::Copy> copies) override {
    if (are_words(copies))
      for_each_word<std::uint64_t>("pack", copies_, copies, StoreWord{});
    else
      for_each_word<std::uint8_t>("pack", copies_, copies, StoreWord{});
  }
  void add(std::span<const exchange::Copy> terms) override {
    for_each_word<double>("add", copies_, terms, AddWord{});
  }
  void zero(std::byte* data, std::int64_t bytes) override {
    gpu::PHASEWISE_PLATFORM::zero(data, static_cast<std::size_t>(bytes));
  }
  void wait() override { gpu::PHASEWISE_PLATFORM::wait(); }

 private:
  Array<exchange::Copy> copies_;
};

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM
