#include "comm/packing.hpp"

#include <algorithm>
#include <cstring>

#include "parallel/loops.hpp"

namespace phasewise::comm {
namespace {

constexpr std::int64_t worth_threads =
    1 << 16;  // bytes, below which threads cost more than they save
constexpr int tasks_per_thread = 4;

// Runs of a fragment, at one of its ends: in the buffer or in the message.
struct Runs {
  std::int64_t stride,
      row_stride;  // from one run to the next, and from one row of runs to the next
};

// With a length that the compiler knows, a copy becomes a single move. Runs of some rows that stand
// one behind the other in memory often share a cache line, which is then moved once.
template <std::int64_t run>
void copy_short(std::byte* to, const Runs& there, const std::byte* from, const Runs& here,
                std::int64_t count, std::int64_t rows) {
  constexpr std::int64_t at_once = 8;
  for (std::int64_t first = 0; first < rows; first += at_once) {
    const std::int64_t end = std::min(rows, first + at_once);
    for (std::int64_t k = 0; k < count; ++k)
      for (std::int64_t i = first; i < end; ++i)
        std::memcpy(to + k * there.stride + i * there.row_stride,
                    from + k * here.stride + i * here.row_stride, run);
  }
}

void copy(std::byte* to, const Runs& there, const std::byte* from, const Runs& here,
          const Fragment& fragment) {
  const std::int64_t count = fragment.count, rows = fragment.outer_count;
  if (fragment.run == 8) return copy_short<8>(to, there, from, here, count, rows);
  if (fragment.run == 16) return copy_short<16>(to, there, from, here, count, rows);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t k = 0; k < count; ++k)
      std::memcpy(to + k * there.stride + i * there.row_stride,
                  from + k * here.stride + i * here.row_stride, fragment.run);
}

Runs in_buffer(const Fragment& fragment) { return {fragment.stride, fragment.outer_stride}; }
Runs in_message(const Fragment& fragment) { return {fragment.run, fragment.count * fragment.run}; }

void add_doubles(std::byte* to, const std::byte* from, std::int64_t bytes) {
  auto* sum = reinterpret_cast<double*>(to);
  const auto* term = reinterpret_cast<const double*>(from);
  for (std::int64_t i = 0; i < bytes / 8; ++i) sum[i] += term[i];
}

template <class F>
void for_each_fragment(std::span<const Fragment> fragments, int threads, F&& f) {
  const auto count = static_cast<std::int64_t>(fragments.size());
  std::int64_t bytes = 0;
  for (const Fragment& fragment : fragments) bytes += fragment.bytes();
  if (threads == 1 || bytes < worth_threads) {
    for (const Fragment& fragment : fragments) f(fragment);
    return;
  }
  const auto tasks = static_cast<int>(std::min<std::int64_t>(count, tasks_per_thread * threads));
  parallel::for_tasks(tasks, threads, [&](int task, int) {
    for (std::int64_t i = count * task / tasks; i < count * (task + 1) / tasks; ++i)
      f(fragments[i]);
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
  // Counts through the loops outside of a fragment's two.
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

void pack(std::span<const Fragment> fragments, const std::byte* buffer, std::byte* message,
          int threads) {
  for_each_fragment(fragments, threads, [&](const Fragment& fragment) {
    copy(message + fragment.message_at, in_message(fragment), buffer + fragment.at,
         in_buffer(fragment), fragment);
  });
}

void unpack(std::span<const Fragment> fragments, std::byte* buffer, const std::byte* message,
            int threads) {
  for_each_fragment(fragments, threads, [&](const Fragment& fragment) {
    copy(buffer + fragment.at, in_buffer(fragment), message + fragment.message_at,
         in_message(fragment), fragment);
  });
}

void add(std::span<const Fragment> fragments, std::byte* buffer, const std::byte* message,
         int threads) {
  for_each_fragment(fragments, threads, [&](const Fragment& fragment) {
    const Runs here = in_message(fragment);
    for (std::int64_t i = 0; i < fragment.outer_count; ++i)
      for (std::int64_t k = 0; k < fragment.count; ++k)
        add_doubles(buffer + fragment.at + k * fragment.stride + i * fragment.outer_stride,
                    message + fragment.message_at + k * here.stride + i * here.row_stride,
                    fragment.run);
  });
}

}  // namespace phasewise::comm
