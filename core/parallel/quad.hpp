// Two and four neighbouring doubles that are worked on together: vectors on a CPU, plain values in
// a GPU's thread.
#pragma once

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

}  // namespace phasewise::parallel
