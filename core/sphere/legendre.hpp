// Legendre transforms of one wavenumber: products of the functions with the columns of all levels
// and fields. Degrees with even l - m meet the sums of north and south, the others the differences.
//
// Both take the same functions, those with even l - m. By the recurrence the function of l + 1 is
//   P(l+1) = (next μ) P(l) - drop P(l-1)
// so that an analysis sums μ times the differences (columns.hpp) with P(l), and takes from each sum
// the one of two degrees before. A synthesis does the transposed steps in reverse order. The
// functions with odd l - m need not be read, and one product has the columns of both parities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linear/multiply.hpp"
#include "parallel/buffer.hpp"
#include "sphere/columns.hpp"
#include "sphere/division.hpp"
#include "sphere/legendre_functions.hpp"

namespace phasewise::sphere {

// The functions of one wavenumber m with even l - m, at some latitudes.
struct EvenFunctions {
  linear::ConstMatrix values;           // [degrees m, m + 2, … up to top][latitudes]
  std::int64_t zeros;                   // the first latitudes that have only zeros
  std::span<const LegendreStep> steps;  // from degrees m … top
};

// The functions at some latitudes, for some wavenumbers: kept in a table, or made as they are used.
// A table takes 8 B for each two degrees of a latitude.
class LegendreFunctions {
 public:
  // `places` are places in `order`. Throws std::bad_alloc.
  LegendreFunctions(const std::vector<int>& order, Range places, std::span<const double> sines,
                    int top, bool kept, int threads);

  // Valid until this thread asks again.
  EvenFunctions of(int place, int thread);

 private:
  // Of a place among `places`.
  std::int64_t rows(int number) const {
    return (static_cast<std::int64_t>(recurrence_.steps(number).size()) + 1) / 2;
  }

  Range places_;
  std::int64_t latitudes_;
  LegendreRecurrence recurrence_;
  std::vector<std::int64_t> begins_;  // of each place in the table; empty: not kept
  parallel::Buffer<double> table_;
  std::vector<parallel::Buffer<double>> panels_;  // of each thread
};

// Columns of some pairs for one wavenumber: values from one pair to the next.
struct PairColumns {
  double* data;
  std::int64_t stride;
  Range pairs;  // those that are summed, or written
};

// rows[l - m][width] = Σ P(l, pair) columns(pair), over the pairs. The rows have room for an even
// number of degrees.
void analyse(const EvenFunctions& functions, const PairColumns& columns, const ColumnLayout& layout,
             double* rows, bool plain, linear::Panels& panels);

// columns(pair) = Σ P(l, pair) rows(l), for each of the pairs. The rows are changed, and have room
// for an even number of degrees.
void synthesise(const EvenFunctions& functions, double* rows, const ColumnLayout& layout,
                const PairColumns& columns, bool plain, linear::Panels& panels);

}  // namespace phasewise::sphere
