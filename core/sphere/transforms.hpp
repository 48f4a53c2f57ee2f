// One rank's part in the transforms between the grid and the coefficients, for all fields and
// levels at once. The grid is divided by latitudes. With a transpose a rank sums whole wavenumbers;
// otherwise it has the columns of all wavenumbers at its own latitudes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sphere/exchanges.hpp"
#include "sphere/fourier.hpp"
#include "sphere/gaussian_grid.hpp"
#include "sphere/kernels.hpp"
#include "sphere/legendre.hpp"
#include "workload/listener.hpp"
#include "workload/planned_run.hpp"

namespace phasewise::sphere {

// The weights of the latitudes in a sum over the grid: those of Gauss's quadrature over the number
// of longitudes, which make it an integral, or 1, as in the adjoint of the synthesis.
enum class Weights : std::uint8_t { gaussian, ones };

class Transforms {
 public:
  // For at most `most_fields` at once. The description and the nodes must outlive the object. The
  // Legendre functions of others, if these are given, are shared where they are the same. Throws
  // std::bad_alloc.
  Transforms(const Description& description, const workload::Nodes& nodes,
             const exchange::TeamPointer& team, workload::Contents contents, int threads,
             int most_fields, const Transforms* others = nullptr);

  const Division& division() const { return division_; }
  const GaussianPairs& latitudes() const { return latitudes_; }
  const RowLayout& rows() const { return rows_; }
  const Manner& manner() const { return manner_; }
  // This rank's pairs of latitudes, and the places of the wavenumbers whose coefficients it keeps.
  Range pairs() const { return division_.pairs_of(rank_); }
  Range places() const { return division_.wavenumbers(rank_); }
  int threads() const { return threads_; }
  int rank() const { return rank_; }

  // From the grid to columns. `fill` writes the rows of a field at a pair of this rank, which is
  // counted among all pairs; `thread` runs it.
  using Fill = std::function<void(int pair, int field, Complex* rows, int thread)>;
  void forward(workload::Listener& listener, int fields, const Fill& fill,
               Weights weights = Weights::gaussian);
  // From columns to the grid. `rows` says where the rows of a field at a pair go. Those of several
  // pairs are written together: in one place they overwrite each other.
  using Place = std::function<Complex*(int pair, int field, int thread)>;
  void backward(workload::Listener& listener, int fields, const Place& rows);

  // These work on one place within a kernel. The functions are valid until the thread asks again.
  EvenFunctions functions(int place, int thread) { return functions_->of(place, thread); }
  // A sum over pairs, counted among the columns' own, gives rows of coefficients,
  // [l - m][field][re, im][level] for degrees m … M + 1, and needs room for one degree
  // more. The synthesis writes all columns and changes the rows.
  void analyse(int place, const EvenFunctions& functions, const Range& pairs, int fields,
               double* rows, int thread);
  void synthesise(int place, double* rows, int fields, int thread);

  // The groups of latitudes that this rank sums, as pairs among the columns' own.
  std::vector<Range> groups() const;
  // The functions that a rank multiplies for these places in a transform.
  double functions_of(const Range& places) const;

 private:
  bool transposed() const { return !manner_.distributed() && division_.ranks() > 1; }
  // The pairs whose columns this rank has.
  Range column_pairs() const { return transposed() ? Range{0, division_.pairs()} : pairs(); }
  Range column_places() const;
  // The columns of this rank's own places: [pair][place] with transposes, else [place][pair]. The
  // latter may have room for a pair more, which keeps those of 2^n pairs from meeting in the same
  // sets of the cache.
  ColumnPart<double> own_columns(const ColumnLayout& layout);
  // The columns of all places at this rank's pairs.
  template <class Real>
  ColumnParts<Real> columns_at_pairs(const ColumnLayout& layout);
  double* columns_of(int place, const ColumnPart<double>& columns) const;
  exchange::ItemBuffer buffer(parallel::Buffer<double>& values) const;
  const Transposes& transposes(int fields);
  // Calls f(pairs, thread) for the pairs of this rank that a thread transforms together.
  template <class F>
  void for_pairs_together(F&& f) const;

  const Description& description_;
  Manner manner_;
  exchange::TeamPointer team_;
  int rank_, threads_;
  bool real_;
  Division division_;
  GaussianPairs latitudes_;
  RowLayout rows_;
  bool products_;                         // whether the fields that go forward are products
  std::map<int, Transposes> transposes_;  // by the number of fields
  // Both are empty in plans, which have no data.
  std::optional<Fourier> fourier_;
  std::shared_ptr<LegendreFunctions> functions_;
  parallel::Buffer<double> before_, columns_;       // blocks before a transpose; columns
  std::vector<parallel::Buffer<Complex>> scratch_;  // of each thread
  std::vector<Fourier::Batch> batches_;             // of each thread
  std::vector<linear::Panels> panels_;
};

}  // namespace phasewise::sphere
