// Two and four neighbouring doubles that are worked on together: vectors on a CPU, plain values in
// a GPU's thread.
#pragma once

#include "parallel/fused.hpp"
#include "parallel/macros.hpp"

#if !defined(__CUDACC__)
#include "parallel/simd.hpp"
#endif

namespace phasewise::parallel {

#if defined(__CUDACC__)
template <int size>
struct Doubles {
  double at[size];
  PHASEWISE_HD double operator[](int i) const { return at[i]; }
};
template <int size>
PHASEWISE_HD Doubles<size> operator+(Doubles<size> a, const Doubles<size>& b) {
  for (int i = 0; i < size; ++i) a.at[i] += b.at[i];
  return a;
}
template <int size>
PHASEWISE_HD Doubles<size> operator-(Doubles<size> a, const Doubles<size>& b) {
  for (int i = 0; i < size; ++i) a.at[i] -= b.at[i];
  return a;
}
template <int size>
PHASEWISE_HD Doubles<size> operator*(double f, Doubles<size> a) {
  for (int i = 0; i < size; ++i) a.at[i] = f * a.at[i];
  return a;
}
template <int size>
PHASEWISE_HD Doubles<size> fused(const Doubles<size>& a, const Doubles<size>& b, Doubles<size> c) {
  for (int i = 0; i < size; ++i) c.at[i] = fused(a.at[i], b.at[i], c.at[i]);
  return c;
}
using Pair = Doubles<2>;
using Quad = Doubles<4>;
PHASEWISE_HD Pair lower(const Quad& q) { return {{q.at[0], q.at[1]}}; }
PHASEWISE_HD Pair upper(const Quad& q) { return {{q.at[2], q.at[3]}}; }
#else
using Pair = Vector<double, 2>;
using Quad = Vector<double, 4>;
inline Pair lower(Quad q) { return __builtin_shufflevector(q, q, 0, 1); }
inline Pair upper(Quad q) { return __builtin_shufflevector(q, q, 2, 3); }
#endif
// The same factor for all of them.
PHASEWISE_HD Pair fused(double f, Pair b, Pair c) { return fused(Pair{f, f}, b, c); }
PHASEWISE_HD Quad fused(double f, Quad b, Quad c) { return fused(Quad{f, f, f, f}, b, c); }

#if defined(__CUDACC__)
// Reads pairs, which must be aligned to 16 bytes. A GPU takes an unaligned copy byte by byte.
template <int size>
PHASEWISE_HD Doubles<size> load_doubles(const double* from) {
  Doubles<size> value;
  for (int i = 0; i < size; i += 2) {
    const double2 pair = *reinterpret_cast<const double2*>(from + i);
    value.at[i] = pair.x;
    value.at[i + 1] = pair.y;
  }
  return value;
}
PHASEWISE_HD Pair load_pair(const double* from) { return load_doubles<2>(from); }
PHASEWISE_HD Quad load_quad(const double* from) { return load_doubles<4>(from); }
PHASEWISE_HD void store_pair(double* to, const Pair& value) {
  to[0] = value.at[0];
  to[1] = value.at[1];
}
#else
PHASEWISE_HD Pair load_pair(const double* from) {
  Pair value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
PHASEWISE_HD Quad load_quad(const double* from) {
  Quad value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
PHASEWISE_HD void store_pair(double* to, const Pair& value) {
  __builtin_memcpy(to, &value, sizeof value);
}
#endif

}  // namespace phasewise::parallel
