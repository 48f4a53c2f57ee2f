// The kick by a Gaussian slice, for tests.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>

#include <algorithm>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "collision/gaussian_kick.hpp"
#include "parallel/loops.hpp"

namespace nb = nanobind;

namespace phasewise::collision {
namespace {

using Rows = nb::ndarray<const double, nb::shape<6, -1>, nb::c_contig, nb::device::cpu>;

bindings::Array gaussian_kick(const Rows& coordinates, double z, const std::array<double, 4>& mean,
                              const std::array<double, 3>& xx, const std::array<double, 3>& yy,
                              const std::array<double, 4>& xy, double scale, bool one_by_one,
                              double waist_slope) {
  const GaussianSlice slice{.count = 1.0,
                            .z = z,
                            .mean = mean,
                            .xx = xx,
                            .yy = yy,
                            .xy = xy,
                            .waist = {.slope = waist_slope},
                            .own_yy = yy};
  const GaussianKick kick(slice, scale, true);
  if (!kick.acts()) throw std::invalid_argument("gaussian_kick takes sizes above 0 m.");
  const std::size_t n = coordinates.shape(1);
  std::vector<double> values(coordinates.data(), coordinates.data() + 6 * n);
  double* column[6];
  for (std::size_t c = 0; c < 6; ++c) column[c] = values.data() + c * n;
  std::vector<std::uint32_t> ids(n);
  const beam::ParticleView p{column[0], column[1], column[2],  column[3],
                             column[4], column[5], ids.data(), static_cast<std::int64_t>(n)};
  if (one_by_one)
    for (std::int64_t i = 0; i < p.size; ++i) kick.act(p, i);
  else
    parallel::for_blocks(p.size, 1, [&](std::int64_t begin, int count, int) {
      KickBlock kicks;
      kick.act_on_block(p.part(begin, count), kicks);
    });
  return bindings::to_array(std::move(values), {6, n});
}

}  // namespace

void bind_gaussian_kick(nb::module_& m) {
  using namespace nb::literals;
  m.def("gaussian_kick", &gaussian_kick, "coordinates"_a, "z"_a, "mean"_a, "xx"_a, "yy"_a, "xy"_a,
        "scale"_a, "one_by_one"_a = false, "waist_slope"_a = 0.0,
        "Coordinates (6, n) behind an encounter with a Gaussian slice at z [m], of means x px y py "
        "and central moments xx, xpx, pxpx; yy, ypy, pypy; xy, xpy, pxy, pxpy. A kick is the field "
        "times `scale` [m]. In blocks of particles, or one by one. A particle at x meets the waist "
        "in y at s = -waist_slope x; yy is then that of x = 0.");
}

}  // namespace phasewise::collision
