// Copies of values between the arrays of a state and the rows of a batch. Lanes that have no pencil
// repeat the last one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hydro/values.hpp"

namespace phasewise::hydro {

// Values of some pencils of a field: that of zone i and pencil n is at from[i zone + n pencil].
struct FieldPlace {
  double* values;
  std::int64_t zone, pencil;
  int count;  // pencils

  double& at(std::int64_t i, int n) const { return values[i * zone + n * pencil]; }
  FieldPlace from(int n) const { return {values + n * pencil, zone, pencil, count - n}; }
};

template <class V>
void load_lanes(const FieldPlace& from, int begin, int end, V* row) {
  for (int lane = 0; lane < lanes_of<V>; ++lane) {
    const int pencil = std::min(lane, from.count - 1);
    for (int i = begin; i < end; ++i) set_lane(row[i], lane, from.at(i, pencil));
  }
}
template <class V>
void store_lanes(const V* row, int begin, int end, const FieldPlace& to) {
  for (int lane = 0; lane < std::min(lanes_of<V>, to.count); ++lane)
    for (int i = begin; i < end; ++i) to.at(i, lane) = lane_of(row[i], lane);
}

// A square of four values by four, mirrored at its diagonal.
PHASEWISE_HD void transpose(parallel::Doubles4 v[4]) {
#if defined(__AVX2__)
  const auto low = [](auto a, auto b) { return _mm256_unpacklo_pd(a, b); };
  const auto high = [](auto a, auto b) { return _mm256_unpackhi_pd(a, b); };
  const __m256d a = low(v[0], v[1]), b = high(v[0], v[1]);
  const __m256d c = low(v[2], v[3]), d = high(v[2], v[3]);
  v[0] = static_cast<parallel::Doubles4>(_mm256_permute2f128_pd(a, c, 0x20));
  v[1] = static_cast<parallel::Doubles4>(_mm256_permute2f128_pd(b, d, 0x20));
  v[2] = static_cast<parallel::Doubles4>(_mm256_permute2f128_pd(a, c, 0x31));
  v[3] = static_cast<parallel::Doubles4>(_mm256_permute2f128_pd(b, d, 0x31));
#else
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < i; ++j) std::swap(v[i][j], v[j][i]);
#endif
}

// From and to pencils whose zones lie next to each other, four zones of four pencils at a time.
inline void load_square(const FieldPlace& from, int i, Lanes* row) {
  for (int lane = 0; lane < parallel::lanes; lane += 4) {
    parallel::Doubles4 v[4];
    for (int n = 0; n < 4; ++n) v[n] = parallel::load<4>(&from.at(i, lane + n));
    transpose(v);
    for (int zone = 0; zone < 4; ++zone)
      parallel::store(reinterpret_cast<double*>(row + i + zone) + lane, v[zone]);
  }
}
inline void store_square(const Lanes* row, int i, const FieldPlace& to) {
  for (int lane = 0; lane < parallel::lanes; lane += 4) {
    parallel::Doubles4 v[4];
    for (int zone = 0; zone < 4; ++zone)
      v[zone] = parallel::load<4>(reinterpret_cast<const double*>(row + i + zone) + lane);
    transpose(v);
    for (int n = 0; n < 4; ++n) parallel::store(&to.at(i, lane + n), v[n]);
  }
}

// Rows of a batch: those of group g begin at rows + g stride.
template <class V>
struct GroupRows {
  V* rows;
  std::int64_t stride;

  V* of(int group) const { return rows + group * stride; }
};

// Where the zones of pencils lie next to each other, a pencil's lines are used one after the other.
template <class V>
void load_group(const FieldPlace& from, int zones, V* row) {
  int i = 0;
  if constexpr (lanes_of < V >> 1)
    if (from.count >= lanes_of<V> && from.zone == 1)
      for (; i + 4 <= zones; i += 4) load_square(from, i, row);
  load_lanes(from, i, zones, row);
}
template <class V>
void store_group(const V* row, int zones, const FieldPlace& to) {
  int i = 0;
  if constexpr (lanes_of < V >> 1)
    if (to.count >= lanes_of<V> && to.zone == 1)
      for (; i + 4 <= zones; i += 4) store_square(row, i, to);
  store_lanes(row, i, zones, to);
}

// The zones that are asked for ahead of their use, where each is in a line of its own.
inline constexpr int lines_ahead = 12;

// The values of zones 0 to `zones` - 1. Where pencils lie next to each other, all those of a zone
// are taken at once, since its line would be lost before the next group came to it: lines a power
// of two apart share few places of a cache.
template <class V>
void load_batch(const FieldPlace& from, int zones, const GroupRows<V>& to) {
  const int whole = lanes_of<V> > 1 && from.pencil == 1 ? from.count / lanes_of<V> : 0;
  if constexpr (lanes_of < V >> 1)
    for (int i = 0; whole > 0 && i < zones; ++i) {
      for (int n = 0; n < from.count; n += 8) __builtin_prefetch(&from.at(i + lines_ahead, n), 0);
      for (int g = 0; g < whole; ++g) to.of(g)[i] = parallel::load(&from.at(i, g * lanes_of<V>));
    }
  for (int g = whole; g * lanes_of<V> < from.count; ++g)
    load_group(from.from(g * lanes_of<V>), zones, to.of(g));
}
template <class V>
void store_batch(const GroupRows<V>& from, int zones, const FieldPlace& to) {
  const int whole = lanes_of<V> > 1 && to.pencil == 1 ? to.count / lanes_of<V> : 0;
  if constexpr (lanes_of < V >> 1)
    for (int i = 0; whole > 0 && i < zones; ++i) {
      for (int n = 0; n < to.count; n += 8) __builtin_prefetch(&to.at(i + lines_ahead, n), 1);
      for (int g = 0; g < whole; ++g) parallel::store(&to.at(i, g * lanes_of<V>), from.of(g)[i]);
    }
  for (int g = whole; g * lanes_of<V> < to.count; ++g)
    store_group(from.of(g), zones, to.from(g * lanes_of<V>));
}

}  // namespace phasewise::hydro
