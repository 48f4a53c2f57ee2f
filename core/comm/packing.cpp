#include "comm/packing.hpp"

#include <algorithm>
#include <cstring>

#include "parallel/loops.hpp"

namespace phasewise::comm {
namespace {

constexpr std::int64_t worth_threads =
    1 << 16;  // bytes, below which threads cost more than they save
constexpr int tasks_per_thread = 4;

template <std::int64_t run>
void copy_runs(std::byte* to, std::int64_t to_stride, const std::byte* from,
               std::int64_t from_stride, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k)
    std::memcpy(to + k * to_stride, from + k * from_stride, run);
}

// With a length that the compiler knows, a copy becomes a single move.
void copy(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
          std::int64_t run, std::int64_t count) {
  if (run == 8) return copy_runs<8>(to, to_stride, from, from_stride, count);
  if (run == 16) return copy_runs<16>(to, to_stride, from, from_stride, count);
  for (std::int64_t k = 0; k < count; ++k)
    std::memcpy(to + k * to_stride, from + k * from_stride, run);
}

void add_doubles(std::byte* to, const std::byte* from, std::int64_t bytes) {
  auto* sum = reinterpret_cast<double*>(to);
  const auto* term = reinterpret_cast<const double*>(from);
  for (std::int64_t i = 0; i < bytes / 8; ++i) sum[i] += term[i];
}

// Calls f(piece, at, message_at) for each inner loop of runs.
template <class F>
void for_each_row(std::span<const Piece> pieces, int threads, F&& f) {
  const auto rows = [&](const Piece& piece) {
    for (std::int64_t i = 0; i < piece.outer_count; ++i)
      f(piece, piece.at + i * piece.outer_stride, piece.message_at + i * piece.count * piece.run);
  };
  const auto count = static_cast<std::int64_t>(pieces.size());
  std::int64_t bytes = 0;
  for (const Piece& piece : pieces) bytes += piece.bytes();
  if (threads == 1 || bytes < worth_threads) {
    for (const Piece& piece : pieces) rows(piece);
    return;
  }
  const auto tasks = static_cast<int>(std::min<std::int64_t>(count, tasks_per_thread * threads));
  parallel::for_tasks(tasks, threads, [&](int task, int) {
    for (std::int64_t i = count * task / tasks; i < count * (task + 1) / tasks; ++i)
      rows(pieces[i]);
  });
}

void append_run(Pieces& pieces, Piece piece) {
  if (piece.count > 1 && piece.stride == piece.run) {
    piece.run *= piece.count;
    piece.count = 1;
  }
  if (piece.count == 1 && piece.outer_count > 1 && piece.outer_stride == piece.run) {
    piece.run *= piece.outer_count;
    piece.outer_count = 1;
  }
  Piece* last = pieces.empty() ? nullptr : &pieces.back();
  if (last && last->contiguous() && piece.contiguous() && last->at + last->run == piece.at &&
      last->message_at + last->run == piece.message_at)
    last->run += piece.run;
  else
    pieces.push_back(piece);
}

}  // namespace

std::int64_t append(Pieces& pieces, const Region& region, std::int64_t base,
                    std::int64_t message_at) {
  if (region.bytes() == 0) return message_at;
  Piece piece{base + region.offset, message_at, region.run, 1, 0, 1, 0};
  if (!region.repeats) {
    append_run(pieces, piece);
    return message_at + piece.bytes();
  }
  const std::vector<Repeat>& repeats = *region.repeats;
  const std::size_t levels = repeats.size(), nested = std::min<std::size_t>(levels, 2);
  if (nested > 0) {
    piece.count = repeats[levels - 1].count;
    piece.stride = repeats[levels - 1].stride;
  }
  if (nested > 1) {
    piece.outer_count = repeats[levels - 2].count;
    piece.outer_stride = repeats[levels - 2].stride;
  }
  // Counts through the loops outside of a piece's two.
  std::vector<std::int64_t> at(levels - nested, 0);
  for (;;) {
    append_run(pieces, piece);
    piece.message_at += piece.bytes();
    std::size_t level = at.size();
    for (; level > 0; --level) {
      piece.at += repeats[level - 1].stride;
      if (++at[level - 1] < repeats[level - 1].count) break;
      piece.at -= repeats[level - 1].count * repeats[level - 1].stride;
      at[level - 1] = 0;
    }
    if (level == 0) return piece.message_at;
  }
}

std::int64_t append(Pieces& pieces, const Block& block, std::int64_t item_size,
                    std::int64_t message_at) {
  for (const int item : *block.items)
    message_at = append(pieces, block.region, item * item_size, message_at);
  return message_at;
}

void pack(std::span<const Piece> pieces, const std::byte* buffer, std::byte* message, int threads) {
  for_each_row(pieces, threads, [&](const Piece& piece, std::int64_t at, std::int64_t message_at) {
    copy(message + message_at, piece.run, buffer + at, piece.stride, piece.run, piece.count);
  });
}

void unpack(std::span<const Piece> pieces, std::byte* buffer, const std::byte* message,
            int threads) {
  for_each_row(pieces, threads, [&](const Piece& piece, std::int64_t at, std::int64_t message_at) {
    copy(buffer + at, piece.stride, message + message_at, piece.run, piece.run, piece.count);
  });
}

void add(std::span<const Piece> pieces, std::byte* buffer, const std::byte* message, int threads) {
  for_each_row(pieces, threads, [&](const Piece& piece, std::int64_t at, std::int64_t message_at) {
    for (std::int64_t k = 0; k < piece.count; ++k)
      add_doubles(buffer + at + k * piece.stride, message + message_at + k * piece.run, piece.run);
  });
}

}  // namespace phasewise::comm
