#include "exchange/packing.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "parallel/loops.hpp"

namespace phasewise::exchange {
namespace {

constexpr std::int64_t worth_threads =
    1 << 16;  // bytes, below which threads cost more than they save
constexpr int tasks_per_thread = 4;
constexpr std::int64_t abreast = 32;  // runs of a column copied before the next column's

// If the compiler knows the length, a copy becomes a single move. The loop is unrolled, since a
// loop of one move takes half as long again if its code happens to cross a cache line.
template <std::int64_t run>
void copy_row(std::byte* to, std::int64_t to_stride, const std::byte* from,
              std::int64_t from_stride, std::int64_t count) {
#pragma GCC unroll 4
  for (std::int64_t k = 0; k < count; ++k)
    std::memcpy(to + k * to_stride, from + k * from_stride, run);
}

// Copies some rows at a time: the runs of rows that lie one after the other in memory often share a
// cache line, which is then moved only once.
template <std::int64_t run>
void copy_rows(const Copy& all) {
  const auto [to, to_stride, to_row] = all.to;
  const auto [from, from_stride, from_row] = all.from;
  constexpr std::int64_t at_once = 8;
  for (std::int64_t first = 0; first < all.rows; first += at_once) {
    const std::int64_t end = std::min(all.rows, first + at_once);
    for (std::int64_t k = 0; k < all.count; ++k)
      for (std::int64_t i = first; i < end; ++i)
        std::memcpy(to + k * to_stride + i * to_row, from + k * from_stride + i * from_row, run);
  }
}

[[gnu::noinline]] void copy_any(const Copy& all) {
  if (all.run == 8) return copy_rows<8>(all);
  if (all.run == 16) return copy_rows<16>(all);
  const auto [to, to_stride, to_row] = all.to;
  const auto [from, from_stride, from_row] = all.from;
  for (std::int64_t i = 0; i < all.rows; ++i)
    for (std::int64_t k = 0; k < all.count; ++k)
      std::memcpy(to + k * to_stride + i * to_row, from + k * from_stride + i * from_row,
                  static_cast<std::size_t>(all.run));
}

inline void copy(const Copy& all) {
  if (all.rows == 1 && all.run == 8)
    copy_row<8>(all.to.data, all.to.stride, all.from.data, all.from.stride, all.count);
  else if (all.rows == 1 && all.count == 1)
    std::memcpy(all.to.data, all.from.data, static_cast<std::size_t>(all.run));
  else
    copy_any(all);
}

// Whether both are long columns of the same length.
bool are_long(const Copy& a, const Copy& b) {
  return a.rows == 1 && b.rows == 1 && a.count == b.count && a.count > 2 * abreast;
}

// Copies columns together piece by piece: columns of one array, such as its first and last one,
// often share pages, whose addresses are then looked up only once.
void copy_abreast(std::span<const Copy> columns) {
  const std::int64_t count = columns.front().count;
  for (std::int64_t first = 0; first < count; first += abreast)
    for (Copy part : columns) {
      part.to.data += first * part.to.stride;
      part.from.data += first * part.from.stride;
      part.count = std::min(abreast, count - first);
      copy(part);
    }
}

Copy::End in_buffer(const Fragment& fragment, std::byte* buffer) {
  return {buffer + fragment.at, fragment.stride, fragment.outer_stride};
}
Copy::End in_message(const Fragment& fragment, std::byte* message) {
  return {message + fragment.message_at, fragment.run, fragment.count * fragment.run};
}
Copy packing(const Fragment& fragment, std::byte* buffer, std::byte* message) {
  return {in_message(fragment, message), in_buffer(fragment, buffer), fragment.run, fragment.count,
          fragment.outer_count};
}
Copy unpacking(const Fragment& fragment, std::byte* buffer, std::byte* message) {
  return {in_buffer(fragment, buffer), in_message(fragment, message), fragment.run, fragment.count,
          fragment.outer_count};
}

void add_doubles(std::byte* to, const std::byte* from, std::int64_t bytes) {
  auto* sum = reinterpret_cast<double*>(to);
  const auto* term = reinterpret_cast<const double*>(from);
  for (std::int64_t i = 0; i < bytes / 8; ++i) sum[i] += term[i];
}

void add_terms(const Copy& all) {
  const auto [to, to_stride, to_row] = all.to;
  const auto [from, from_stride, from_row] = all.from;
  for (std::int64_t i = 0; i < all.rows; ++i)
    for (std::int64_t k = 0; k < all.count; ++k)
      add_doubles(to + k * to_stride + i * to_row, from + k * from_stride + i * from_row, all.run);
}

bool are_worth(std::span<const Copy> copies, int threads) {
  if (threads == 1) return false;
  std::int64_t bytes = 0;
  for (const Copy& copy : copies) bytes += copy.bytes();
  return bytes >= worth_threads;
}

template <class F>
void by_threads(std::span<const Copy> copies, int threads, F&& f) {
  const auto count = static_cast<std::int64_t>(copies.size());
  const auto tasks = static_cast<int>(std::min<std::int64_t>(count, tasks_per_thread * threads));
  parallel::for_tasks(tasks, threads, [&](int task, int) {
    for (std::int64_t i = count * task / tasks; i < count * (task + 1) / tasks; ++i) f(copies[i]);
  });
}

void append_run(Fragments& fragments, Fragment fragment) {
  if (fragment.count > 1 && fragment.stride == fragment.run) {
    fragment.run *= fragment.count;
    fragment.count = 1;
  }
  if (fragment.count == 1 && fragment.outer_count > 1 && fragment.outer_stride == fragment.run) {
    fragment.run *= fragment.outer_count;
    fragment.outer_count = 1;
  }
  Fragment* last = fragments.empty() ? nullptr : &fragments.back();
  if (last && last->contiguous() && fragment.contiguous() && last->at + last->run == fragment.at &&
      last->message_at + last->run == fragment.message_at)
    last->run += fragment.run;
  else
    fragments.push_back(fragment);
}

// A loop over both of two regions, with a stride in each [B].
struct Loop {
  std::int64_t count, from, to;
};

// The loops of a region from the innermost, the bytes of a run, to the outermost.
std::vector<Repeat> loops_of(const Region& region) {
  std::vector<Repeat> result{{region.run, 1}};
  if (region.repeats) result.insert(result.end(), region.repeats->rbegin(), region.repeats->rend());
  std::erase_if(result, [](const Repeat& loop) { return loop.count == 1; });
  return result;
}

// Loops that visit the bytes of both regions together, from the innermost one on.
std::vector<Loop> loops_of_both(const Region& from, const Region& to) {
  std::vector<Repeat> a = loops_of(from), b = loops_of(to);
  std::vector<Loop> result;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const std::int64_t count = std::min(a[i].count, b[j].count);
    if (a[i].count % count != 0 || b[j].count % count != 0) break;
    result.push_back({count, a[i].stride, b[j].stride});
    for (auto [loops, at] : {std::pair{&a, &i}, std::pair{&b, &j}}) {
      Repeat& loop = (*loops)[*at];
      loop = {loop.count / count, loop.stride * count};
      if (loop.count == 1) ++*at;
    }
  }
  if (i < a.size() || j < b.size())
    throw std::logic_error("the loops of two regions of memory do not divide each other");
  if (result.empty() || result[0].from != 1 || result[0].to != 1)
    result.insert(result.begin(), {1, 1, 1});
  return result;
}

}  // namespace

std::int64_t append(Fragments& fragments, const Region& region, std::int64_t base,
                    std::int64_t message_at) {
  if (region.bytes() == 0) return message_at;
  Fragment fragment{base + region.offset, message_at, region.run, 1, 0, 1, 0};
  if (!region.repeats) {
    append_run(fragments, fragment);
    return message_at + fragment.bytes();
  }
  const std::vector<Repeat>& repeats = *region.repeats;
  const std::size_t levels = repeats.size(), nested = std::min<std::size_t>(levels, 2);
  if (nested > 0) {
    fragment.count = repeats[levels - 1].count;
    fragment.stride = repeats[levels - 1].stride;
  }
  if (nested > 1) {
    fragment.outer_count = repeats[levels - 2].count;
    fragment.outer_stride = repeats[levels - 2].stride;
  }
  // Counts through the loops outside a fragment's two.
  std::vector<std::int64_t> at(levels - nested, 0);
  for (;;) {
    append_run(fragments, fragment);
    fragment.message_at += fragment.bytes();
    std::size_t level = at.size();
    for (; level > 0; --level) {
      fragment.at += repeats[level - 1].stride;
      if (++at[level - 1] < repeats[level - 1].count) break;
      fragment.at -= repeats[level - 1].count * repeats[level - 1].stride;
      at[level - 1] = 0;
    }
    if (level == 0) return fragment.message_at;
  }
}

std::int64_t append(Fragments& fragments, const Block& block, std::int64_t item_size,
                    std::int64_t message_at) {
  for (const int item : *block.items)
    message_at = append(fragments, block.region, item * item_size, message_at);
  return message_at;
}

void append_copies(Copies& copies, const Place& from, const Place& to) {
  if (from.region.bytes() == 0) return;
  const std::vector<Loop> loops = loops_of_both(from.region, to.region);
  Copy copy{{to.data + to.region.offset, 0, 0},
            {from.data + from.region.offset, 0, 0},
            loops[0].count,
            1,
            1};
  if (loops.size() > 1) {
    copy.count = loops[1].count;
    copy.from.stride = loops[1].from;
    copy.to.stride = loops[1].to;
  }
  if (loops.size() > 2) {
    copy.rows = loops[2].count;
    copy.from.row_stride = loops[2].from;
    copy.to.row_stride = loops[2].to;
  }
  std::size_t first = copies.size();
  copies.push_back(copy);
  // What has been found so far is repeated by each loop outside of it.
  for (std::size_t level = 3; level < loops.size(); ++level) {
    const std::size_t last = copies.size();
    for (std::int64_t k = 1; k < loops[level].count; ++k)
      for (std::size_t i = first; i < last; ++i) {
        Copy next = copies[i];
        next.from.data += k * loops[level].from;
        next.to.data += k * loops[level].to;
        copies.push_back(next);
      }
  }
}

void append_packing(Copies& copies, std::span<const Fragment> fragments, std::byte* buffer,
                    std::byte* message) {
  for (const Fragment& fragment : fragments) copies.push_back(packing(fragment, buffer, message));
}

void append_unpacking(Copies& copies, std::span<const Fragment> fragments, std::byte* buffer,
                      std::byte* message) {
  for (const Fragment& fragment : fragments) copies.push_back(unpacking(fragment, buffer, message));
}

void run(std::span<const Copy> copies, int threads) {
  if (are_worth(copies, threads)) return by_threads(copies, threads, copy);
  for (std::size_t first = 0; first < copies.size();) {
    std::size_t end = first + 1;
    while (end < copies.size() && are_long(copies[first], copies[end])) ++end;
    if (end == first + 1)
      copy(copies[first]);
    else
      copy_abreast(copies.subspan(first, end - first));
    first = end;
  }
}

void add(std::span<const Copy> terms, int threads) {
  if (are_worth(terms, threads)) return by_threads(terms, threads, add_terms);
  for (const Copy& term : terms) add_terms(term);
}

}  // namespace phasewise::exchange
