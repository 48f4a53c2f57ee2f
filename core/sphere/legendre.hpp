// Legendre transforms of one wavenumber: products of the functions with the columns of all levels
// and fields. Degrees with even l - m meet the sums of north and south, the others the differences.
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

// The functions of degrees m … top at some latitudes, for some wavenumbers: kept in a table, or
// made as they are used. A table takes 8 B a value.
class LegendreFunctions {
 public:
  // `order` must outlive the object; `places` are places in it. Throws std::bad_alloc.
  LegendreFunctions(const std::vector<int>& order, Range places, std::span<const double> sines,
                    int top, bool kept, int threads);

  // [degrees m … top][latitudes]; valid until this thread asks again.
  linear::ConstMatrix of(int place, int thread);

 private:
  std::int64_t degrees(int place) const { return top_ - order_[place] + 1; }

  const std::vector<int>& order_;
  Range places_;
  int top_;
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

// rows[l - m][width] = Σ functions(l, pair) columns(pair), over the pairs.
void analyse(const linear::ConstMatrix& functions, const PairColumns& columns,
             const ColumnLayout& layout, double* rows, bool plain, linear::Panels& panels);

// columns(pair) = Σ functions(l, pair) rows(l), for each of the pairs.
void synthesise(const linear::ConstMatrix& functions, const double* rows,
                const ColumnLayout& layout, const PairColumns& columns, bool plain,
                linear::Panels& panels);

}  // namespace phasewise::sphere
