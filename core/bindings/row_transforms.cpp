// Transforms of rows in the lanes of vectors, for tests.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/named.hpp"
#include "numerics/fft.hpp"
#include "numerics/real_row_batch_fft.hpp"
#include "numerics/row_batch_fft.hpp"
#include "parallel/buffer.hpp"

namespace nb = nanobind;

namespace phasewise::bindings {

namespace {

using numerics::LanesOfComplex;
using numerics::Radices;
using parallel::lanes;
// [row][value][re, im], and [row][value].
using ComplexRows = nb::ndarray<const double, nb::shape<-1, -1, 2>, nb::c_contig, nb::device::cpu>;
using RealRows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Batch = parallel::Buffer<LanesOfComplex>;

Radices radices_of(const std::string& name) {
  return named<Radices>("radices", name, {{"fours", Radices::fours}, {"eights", Radices::eights}});
}

// Calls transform(first, count, to) for as many rows as vectors have lanes.
template <class Transform>
std::vector<double> by_batches(std::size_t rows, std::size_t size, const Transform& transform) {
  std::vector<double> result(rows * size);
  for (std::size_t first = 0; first < rows; first += lanes)
    transform(first, std::min<std::size_t>(lanes, rows - first), result.data() + first * size);
  return result;
}

void read(const double* from, std::size_t row, int n, std::size_t count, Batch& values) {
  std::fill_n(values.data(), values.size(), LanesOfComplex{});
  for (std::size_t lane = 0; lane < count; ++lane)
    for (int i = 0; i < n; ++i) {
      values[i].re[lane] = from[lane * row + 2 * i];
      values[i].im[lane] = from[lane * row + 2 * i + 1];
    }
}

template <class Place>
void write(const Batch& values, int n, std::size_t count, double* to, const Place& place) {
  for (std::size_t lane = 0; lane < count; ++lane)
    for (int i = 0; i < n; ++i) {
      *to++ = values[place(i)].re[lane];
      *to++ = values[place(i)].im[lane];
    }
}

// The transform of rows of which `given` values are handed over, in the order of the frequencies.
Array transform_rows(const ComplexRows& rows, int n, const std::string& radices) {
  const numerics::RowBatchTransform transform(n, radices_of(radices));
  const int given = static_cast<int>(rows.shape(1));
  if (given > n) throw std::invalid_argument("the rows have more than n values");
  Batch values(n);
  auto result =
      by_batches(rows.shape(0), 2 * n, [&](std::size_t first, std::size_t count, double* to) {
        read(rows.data() + first * 2 * given, 2 * given, given, count, values);
        transform.forward(values.data(), given);
        write(values, n, count, to, [&](int k) { return transform.place_of(k); });
      });
  return to_array(std::move(result), {rows.shape(0), static_cast<std::size_t>(n), 2});
}

// The same by FFTW.
Array transform_by_fftw(const ComplexRows& rows, int n) {
  const numerics::ComplexRowTransform transform(n);
  const int given = static_cast<int>(rows.shape(1));
  if (given > n) throw std::invalid_argument("the rows have more than n values");
  parallel::Buffer<numerics::Complex> line(n);
  auto* values = reinterpret_cast<double*>(line.data());
  std::vector<double> result;
  for (std::size_t row = 0; row < rows.shape(0); ++row) {
    std::fill_n(std::copy_n(rows.data() + row * 2 * given, 2 * given, values), 2 * (n - given),
                0.0);
    transform.forward(line.data());
    result.insert(result.end(), values, values + 2 * n);
  }
  return to_array(std::move(result), {rows.shape(0), static_cast<std::size_t>(n), 2});
}

// The first `wanted` values of rows that have these frequencies, times their number.
Array transform_back(const ComplexRows& rows, int wanted, const std::string& radices) {
  const int n = static_cast<int>(rows.shape(1));
  if (wanted > n) throw std::invalid_argument("the rows have fewer values than are wanted");
  const numerics::RowBatchTransform transform(n, radices_of(radices));
  Batch natural(n), values(n);
  auto result =
      by_batches(rows.shape(0), 2 * wanted, [&](std::size_t first, std::size_t count, double* to) {
        read(rows.data() + first * 2 * n, 2 * n, n, count, natural);
        for (int k = 0; k < n; ++k) values[transform.place_of(k)] = natural[k];
        transform.backward(values.data(), wanted);
        write(values, wanted, count, to, [](int i) { return i; });
      });
  return to_array(std::move(result), {rows.shape(0), static_cast<std::size_t>(wanted), 2});
}

// Rows of some values times these factors of n frequencies, which are complex or real.
Array convolve_rows(const ComplexRows& rows, const RealRows& factors) {
  const int n = static_cast<int>(factors.shape(0)), given = static_cast<int>(rows.shape(1));
  if (given > n) throw std::invalid_argument("the rows have more values than there are factors");
  const numerics::RowBatchTransform transform(n, Radices::eights);
  const bool real = factors.shape(1) == 1;
  parallel::Buffer<parallel::Lanes> reals(n);
  Batch values(n), room(transform.room_size()), complex(n);
  for (int k = 0; k < n; ++k) {
    const int place = transform.place_of(k);
    reals[place] = parallel::all_lanes<double, lanes>(factors(k, 0));
    if (!real) complex[place] = {reals[place], parallel::all_lanes<double, lanes>(factors(k, 1))};
  }
  auto result =
      by_batches(rows.shape(0), 2 * given, [&](std::size_t first, std::size_t count, double* to) {
        read(rows.data() + first * 2 * given, 2 * given, given, count, values);
        if (real)
          transform.convolve(values.data(), given, reals.data(), values.data(), room.data());
        else
          transform.convolve(values.data(), given, complex.data(), values.data(), room.data());
        write(values, given, count, to, [](int i) { return i; });
      });
  return to_array(std::move(result), {rows.shape(0), static_cast<std::size_t>(given), 2});
}

// Frequencies 0 … n/2 of real rows, twice, of which an even number of values is handed over.
Array transform_real_rows(const RealRows& rows, int n) {
  const numerics::RealRowBatchTransform transform(n);
  const int given = static_cast<int>(rows.shape(1)), columns = n / 2 + 1;
  if (given > n || given % 2 != 0)
    throw std::invalid_argument("give at most n values, evenly many");
  Batch values(columns);
  auto result =
      by_batches(rows.shape(0), 2 * columns, [&](std::size_t first, std::size_t count, double* to) {
        read(rows.data() + first * given, given, given / 2, count, values);
        transform.forward(values.data(), given / 2);
        write(values, columns, count, to, [&](int k) { return transform.place_of(k); });
      });
  return to_array(std::move(result), {rows.shape(0), static_cast<std::size_t>(columns), 2});
}

// The first `wanted` values, evenly many, of real rows with these frequencies 0 … n/2, n times.
Array transform_real_back(const ComplexRows& spectra, int wanted) {
  const int columns = static_cast<int>(spectra.shape(1));
  const numerics::RealRowBatchTransform transform(2 * (columns - 1));
  if (wanted > transform.size() || wanted % 2 != 0)
    throw std::invalid_argument("ask for at most n values, evenly many");
  Batch natural(columns), values(columns);
  auto result =
      by_batches(spectra.shape(0), wanted, [&](std::size_t first, std::size_t count, double* to) {
        read(spectra.data() + first * 2 * columns, 2 * columns, columns, count, natural);
        for (int k = 0; k < columns; ++k) values[transform.place_of(k)] = natural[k];
        transform.backward(values.data(), wanted / 2);
        write(values, wanted / 2, count, to, [](int i) { return i; });
      });
  return to_array(std::move(result), {spectra.shape(0), static_cast<std::size_t>(wanted)});
}

}  // namespace

}  // namespace phasewise::bindings

void bind_row_transforms(nb::module_& m) {
  using namespace phasewise::bindings;
  m.def(
      "transform_rows", &transform_rows, nb::arg("rows"), nb::arg("n"), nb::arg("radices"),
      "Transforms, [row][frequency][re, im], of rows [row][value][re, im] that are zero up to n.");
  m.def("transform_by_fftw", &transform_by_fftw, nb::arg("rows"), nb::arg("n"),
        "As transform_rows, by FFTW.");
  m.def("transform_back", &transform_back, nb::arg("rows"), nb::arg("wanted"), nb::arg("radices"),
        "The first values of rows whose transforms these are, times their length.");
  m.def("convolve_rows", &convolve_rows, nb::arg("rows"), nb::arg("factors"),
        "Rows [row][value][re, im] transformed, multiplied by factors [frequency][1 or 2], which "
        "are real or complex, and transformed back, unnormalised.");
  m.def("transform_real_rows", &transform_real_rows, nb::arg("rows"), nb::arg("n"),
        "Twice the transforms, [row][frequency][re, im], of rows [row][value], zero up to n.");
  m.def("transform_real_back", &transform_real_back, nb::arg("spectra"), nb::arg("wanted"),
        "The first values of real rows whose transforms these are, times their length.");
}
