// Small copies to and from a device that members ask for; one launch does those of several members.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "gpu/kernels.hpp"
#include "gpu/memory.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

inline constexpr std::size_t word = 8;  // B, to which all memory of the device is aligned
inline std::int64_t words_of(std::size_t bytes) {
  return static_cast<std::int64_t>((bytes + word - 1) / word);
}

// Stores the i-th word of a piece of this many bytes; an incomplete last word is stored byte by
// byte.
template <class Words>
PHASEWISE_DEVICE void do_word(const Words& words, std::int64_t i) {
  const std::size_t at = word * static_cast<std::size_t>(i);
  if (at + word <= words.bytes) return words.template store<std::uint64_t>(at);
  for (std::size_t k = at; k < words.bytes; ++k) words.template store<std::byte>(k);
}

struct CopyWords {
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;

  template <class T>
  PHASEWISE_DEVICE void store(std::size_t at) const {
    *reinterpret_cast<T*>(to + at) = *reinterpret_cast<const T*>(from + at);
  }
  PHASEWISE_DEVICE void operator()(std::int64_t i) const { do_word(*this, i); }
};

struct ZeroWords {
  std::byte* to;
  std::size_t bytes;

  template <class T>
  PHASEWISE_DEVICE void store(std::size_t at) const {
    *reinterpret_cast<T*>(to + at) = T{};
  }
  PHASEWISE_DEVICE void operator()(std::int64_t i) const { do_word(*this, i); }
};

// Pieces of memory. Each has its place in what the device is given, after the parts of the launch
// that copies them there or from there.
template <class Piece>
class Copies : public Request {
 public:
  void join(Request& other) override {
    auto& more = static_cast<Copies&>(other).pieces_;
    std::move(more.begin(), more.end(), std::back_inserter(pieces_));
  }
  double size() const override { return static_cast<double>(bytes_of_pieces()); }
  std::size_t bytes() const override { return begin() + bytes_of_pieces(); }
  void write(std::byte* host, const std::byte* device) const override {
    auto* parts = reinterpret_cast<Part*>(host);
    std::size_t at = begin();
    for (const Piece& piece : pieces_) {
      *parts++ = {words_of(piece.size()), piece.copy(device + at)};
      piece.write(host + at);
      at += whole_words(piece.size());
    }
  }
  void run(const std::byte* given) override {
    std::int64_t most = 0;
    for (const Piece& piece : pieces_) most = std::max(most, words_of(piece.size()));
    launch_parts("copy", reinterpret_cast<const Part*>(given), std::ssize(pieces_), {most});
  }

 protected:
  using Part = EachPart<CopyWords>;

  static std::size_t whole_words(std::size_t bytes) {
    return word * static_cast<std::size_t>(words_of(bytes));
  }
  // Where the first piece begins in what the device is given.
  std::size_t begin() const { return pieces_.size() * sizeof(Part); }
  std::size_t bytes_of_pieces() const {
    std::size_t sum = 0;
    for (const Piece& piece : pieces_) sum += whole_words(piece.size());
    return sum;
  }

  std::vector<Piece> pieces_;
};

struct PieceToDevice {
  std::byte* to;
  std::vector<std::byte> data;

  std::size_t size() const { return data.size(); }
  CopyWords copy(const std::byte* given) const { return {to, given, data.size()}; }
  void write(std::byte* host) const { std::memcpy(host, data.data(), data.size()); }
};

class CopiesIn final : public Copies<PieceToDevice> {
 public:
  CopiesIn(void* device, const void* host, std::size_t bytes) {
    const auto* from = static_cast<const std::byte*>(host);
    pieces_.push_back({static_cast<std::byte*>(device), {from, from + bytes}});
  }
  const void* kind() const override { return &tag_of<CopiesIn>; }
};

struct PieceToHost {
  void* to;
  const std::byte* from;
  std::size_t bytes;

  std::size_t size() const { return bytes; }
  CopyWords copy(const std::byte* given) const {
    return {const_cast<std::byte*>(given), from, bytes};
  }
  void write(std::byte* /*host*/) const {}
};

// The destinations in the host's memory must stay valid until `deliver`.
class CopiesOut final : public Copies<PieceToHost> {
 public:
  CopiesOut(void* host, const void* device, std::size_t bytes) {
    pieces_.push_back({host, static_cast<const std::byte*>(device), bytes});
  }
  const void* kind() const override { return &tag_of<CopiesOut>; }
  void fetch(const std::byte* given) override {
    fetched_.resize(bytes_of_pieces());
    direct::copy_out(fetched_.data(), given + begin(), fetched_.size());
  }
  void deliver() override {
    const std::byte* from = fetched_.data();
    for (const PieceToHost& piece : pieces_) {
      std::memcpy(piece.to, from, piece.bytes);
      from += whole_words(piece.bytes);
    }
  }

 private:
  std::vector<std::byte> fetched_;
};

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM
