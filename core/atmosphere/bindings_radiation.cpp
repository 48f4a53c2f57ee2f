// Radiation and adjustment as functions of arrays. phasewise/workloads/atmosphere/radiation.py
// checks what it hands over.
#include "atmosphere/bindings_radiation.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "atmosphere/layer.hpp"
#include "atmosphere/radiation.hpp"
#include "atmosphere/vertical.hpp"
#include "bindings/arrays.hpp"

namespace nb = nanobind;

namespace phasewise::atmosphere {
namespace {

using Levels = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Columns columns_of(const Levels& levels) {
  return {.levels = static_cast<int>(levels.shape(1)),
          .count = static_cast<std::int64_t>(levels.shape(0))};
}

// An absorber that is nowhere may be None.
using Absorber = std::optional<Levels>;

const double* data_of(const Absorber& absorber) { return absorber ? absorber->data() : nullptr; }

// An array of a result, (columns, values of each). It is not filled before it is written.
class Result {
 public:
  Result(const Levels& like, std::size_t values)
      : columns_(like.shape(0)), values_(values), data_(new double[columns_ * values]) {}

  double* data() { return data_.get(); }
  nb::object array() {
    double* const kept = data_.release();
    const nb::capsule owner(kept, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::cast(bindings::Array(kept, {columns_, values_}, owner));
  }

 private:
  std::size_t columns_, values_;
  std::unique_ptr<double[]> data_;
};

// Fluxes up and down at the interfaces, and heating of the levels.
struct Radiation {
  explicit Radiation(const Levels& like)
      : up(like, like.shape(1) + 1), down(like, like.shape(1) + 1), heating(like, like.shape(1)) {}

  nb::tuple arrays() { return nb::make_tuple(up.array(), down.array(), heating.array()); }

  Result up, down, heating;
};

std::vector<LongWaveBand> long_wave_rows(const Levels& bands) {
  std::vector<LongWaveBand> result;
  result.reserve(bands.shape(0));
  for (std::size_t i = 0; i < bands.shape(0); ++i)
    result.push_back({bands(i, 0), bands(i, 1), bands(i, 2), bands(i, 3)});
  return result;
}
std::vector<ShortWaveBand> short_wave_rows(const Levels& bands) {
  std::vector<ShortWaveBand> result;
  result.reserve(bands.shape(0));
  for (std::size_t i = 0; i < bands.shape(0); ++i)
    result.push_back(
        {bands(i, 0), bands(i, 1), bands(i, 2), bands(i, 3), bands(i, 4), bands(i, 5)});
  return result;
}

nb::tuple long_wave_fluxes_of(const Levels& temperature, const Absorber& vapour,
                              const Absorber& cloud, const Values& surface_temperature,
                              const Levels& bands, bool fast, int threads) {
  Radiation found(temperature);
  {
    const nb::gil_scoped_release released;
    long_wave(columns_of(temperature), long_wave_rows(bands),
              {temperature.data(), data_of(vapour), data_of(cloud), surface_temperature.data(),
               found.up.data(), found.down.data(), found.heating.data()},
              {fast, threads});
  }
  return found.arrays();
}

nb::tuple short_wave_fluxes_of(const Values& cosine, const Levels& vapour, const Absorber& cloud,
                               const Levels& bands, double albedo, double solar_constant, bool fast,
                               int threads) {
  Radiation found(vapour);
  {
    const nb::gil_scoped_release released;
    short_wave(columns_of(vapour), short_wave_rows(bands), albedo, solar_constant,
               {vapour.data(), data_of(cloud), cosine.data(), found.up.data(), found.down.data(),
                found.heating.data()},
               {fast, threads});
  }
  return found.arrays();
}

nb::tuple adjusted(const Levels& temperature, const Levels& vapour, const Levels& cloud,
                   int most_sweeps, bool fast, int threads) {
  const auto copy = [](const Levels& from) {
    Result result(from, from.shape(1));
    std::copy(from.data(), from.data() + from.size(), result.data());
    return result;
  };
  Result own = copy(temperature), water = copy(vapour), liquid = copy(cloud);
  Result sweeps(temperature, 1);
  {
    const nb::gil_scoped_release released;
    adjust(columns_of(temperature), most_sweeps,
           {own.data(), water.data(), liquid.data(), sweeps.data()}, {fast, threads});
  }
  return nb::make_tuple(own.array(), water.array(), liquid.array(), sweeps.array());
}

// A layer's reflection, transmission, the same of the beam, and the beam's share that passes.
nb::tuple layer_by_optics(double absorption, double transport, double scattering, double forward,
                          double cosine) {
  const Layer<double> layer =
      layer_of<double>({absorption, transport, scattering, forward}, cosine, 1.0 / cosine);
  return nb::make_tuple(layer.reflection, layer.transmission, layer.beam_reflection,
                        layer.beam_transmission, layer.direct);
}

// (bands, coefficients)
template <class Band, class Coefficients>
nb::object table(const std::vector<Band>& bands, Coefficients&& coefficients) {
  std::vector<double> values;
  for (const Band& band : bands)
    for (const double value : coefficients(band)) values.push_back(value);
  const std::size_t each = values.size() / bands.size();
  return nb::cast(bindings::to_array(std::move(values), {bands.size(), each}));
}

}  // namespace

void bind_radiation(nb::module_& m) {
  m.def("atmosphere_long_wave", long_wave_fluxes_of, nb::arg(), nb::arg().none(), nb::arg().none(),
        nb::arg(), nb::arg(), nb::arg(), nb::arg());
  m.def("atmosphere_short_wave", short_wave_fluxes_of, nb::arg(), nb::arg(), nb::arg().none(),
        nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
  m.def("atmosphere_adjust", adjusted);
  m.def("atmosphere_layer", layer_by_optics);
  m.def("atmosphere_layer_mass", [](int levels) { return Vertical(levels).mass; });
  m.def("atmosphere_long_wave_bands", [](int number) {
    return table(long_wave_bands(number), [](const LongWaveBand& band) {
      return std::vector<double>{band.share, band.vapour, band.gas, band.cloud};
    });
  });
  m.def("atmosphere_short_wave_bands", [](int number) {
    return table(short_wave_bands(number), [](const ShortWaveBand& band) {
      return std::vector<double>{band.share, band.vapour,           band.rayleigh,
                                 band.cloud, band.cloud_absorption, band.asymmetry};
    });
  });
}

}  // namespace phasewise::atmosphere
