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

// Calls f(fragment, at, message_at) for each inner loop of runs.
template <class F>
void for_each_row(std::span<const Fragment> fragments, int threads, F&& f) {
  const auto rows = [&](const Fragment& fragment) {
    for (std::int64_t i = 0; i < fragment.outer_count; ++i)
      f(fragment, fragment.at + i * fragment.outer_stride,
        fragment.message_at + i * fragment.count * fragment.run);
  };
  const auto count = static_cast<std::int64_t>(fragments.size());
  std::int64_t bytes = 0;
  for (const Fragment& fragment : fragments) bytes += fragment.bytes();
  if (threads == 1 || bytes < worth_threads) {
    for (const Fragment& fragment : fragments) rows(fragment);
    return;
  }
  const auto tasks = static_cast<int>(std::min<std::int64_t>(count, tasks_per_thread * threads));
  parallel::for_tasks(tasks, threads, [&](int task, int) {
    for (std::int64_t i = count * task / tasks; i < count * (task + 1) / tasks; ++i)
      rows(fragments[i]);
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
  for_each_row(fragments, threads,
               [&](const Fragment& fragment, std::int64_t at, std::int64_t message_at) {
                 copy(message + message_at, fragment.run, buffer + at, fragment.stride,
                      fragment.run, fragment.count);
               });
}

void unpack(std::span<const Fragment> fragments, std::byte* buffer, const std::byte* message,
            int threads) {
  for_each_row(fragments, threads,
               [&](const Fragment& fragment, std::int64_t at, std::int64_t message_at) {
                 copy(buffer + at, fragment.stride, message + message_at, fragment.run,
                      fragment.run, fragment.count);
               });
}

void add(std::span<const Fragment> fragments, std::byte* buffer, const std::byte* message,
         int threads) {
  for_each_row(fragments, threads,
               [&](const Fragment& fragment, std::int64_t at, std::int64_t message_at) {
                 for (std::int64_t k = 0; k < fragment.count; ++k)
                   add_doubles(buffer + at + k * fragment.stride,
                               message + message_at + k * fragment.run, fragment.run);
               });
}

}  // namespace phasewise::comm
