// Transforms of fields on the ranks of a session, as Python uses them: each rank has its pairs of
// latitudes and its wavenumbers, with all levels.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "sphere/transforms.hpp"
#include "workload/live.hpp"
#include "workload/session.hpp"

namespace phasewise::sphere {

class SphericalTransform {
 public:
  // Collective. Fields are [level][latitude][longitude] on this rank's latitudes, from north to
  // south; coefficients are [level][coefficient] of its wavenumbers, by m and then by l, of
  // functions that are normalised to ∫ |Y|² = `norm` over the sphere, with or without the phase
  // (-1)^m. Throws std::invalid_argument with one sentence.
  SphericalTransform(const workload::Parameters& parameters, int threads, double norm, bool phase);

  const Description& description() const { return description_; }
  // From the north.
  std::vector<int> latitudes() const;
  // In increasing order; each has the degrees m … M.
  std::vector<int> wavenumbers() const { return wavenumbers_; }
  std::int64_t coefficients() const { return coefficients_; }
  std::int64_t points() const;  // of a field at one level

  // All are collective.
  void analyse(const double* field, Complex* coefficients) { analyse(field, coefficients, false); }
  void synthesise(const Complex* coefficients, double* field);
  // The adjoint of the synthesis: the sums over the grid of the field times Y*.
  void adjoint(const double* field, Complex* coefficients) { analyse(field, coefficients, true); }
  // u and v [m/s] of vorticity and divergence [1/s], and back.
  void winds(const Complex* vorticity, const Complex* divergence, double* u, double* v);
  void curl(const double* u, const double* v, Complex* vorticity, Complex* divergence);

 private:
  void analyse(const double* field, Complex* coefficients, bool adjoint);
  void fill(const double* field, int pair, double factor, Complex* rows) const;
  void spill(const Complex* rows, int pair, double factor, double* field) const;
  // Where a row of a field begins; side: 0 in the north, 1 in the south.
  std::int64_t row_of(int level, int pair, int side) const;
  // Calls f(place, thread) for each place of this rank in a kernel.
  template <class F>
  void for_places(const parallel::KernelCard& card, F&& f);
  void backward(int fields, double* const* to, bool over_cosine);
  // Where the coefficients of a place begin, and the factor from ours to the normalisation's.
  std::int64_t begin_of(int place) const { return begins_[place - transforms_->places().first]; }
  double factor_of(int place) const;

  Description description_;
  std::unique_ptr<workload::Session> session_;
  workload::Live live_;
  std::unique_ptr<Transforms> transforms_;
  double norm_;
  bool phase_;
  std::vector<int> wavenumbers_;
  std::vector<std::int64_t> begins_;
  std::int64_t coefficients_ = 0;
  std::vector<parallel::Buffer<double>> rows_;  // of coefficients, of each thread
  parallel::Buffer<Complex> grid_;              // [field][pair][level][stride]
};

}  // namespace phasewise::sphere
