#include "ocean/solver/system.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

namespace phasewise::ocean {
namespace {

enum OperatorPlane {
  centre_plane,
  east_plane,
  north_plane,
  north_east_plane,
  north_west_plane,
  planes_of_operator
};

// One item is a cell. The four or five planes are copied, and the centre is looked at.
constexpr parallel::KernelCard take_card{
    .name = "take_operator", .flops = 2.0, .bytes = 8.0 * 11.0, .vectorised = false};
// S follows from the centre; four couplings are read and written, each with S of two cells.
constexpr parallel::KernelCard scale_card{
    .name = "scale_operator", .flops = 10.0, .bytes = 8.0 * 14.0, .vectorised = false};
// Reads b, x, S and the centre, and writes b and y.
constexpr parallel::KernelCard enter_card{
    .name = "enter_system", .flops = 3.0, .bytes = 48.0, .vectorised = true};
constexpr parallel::KernelCard leave_card{
    .name = "leave_system", .flops = 1.0, .bytes = 24.0, .vectorised = true};

}  // namespace

System::System(const Context& context)
    : context_(context),
      scaled_(context.setting.preconditioner != Preconditioner::none),
      planes_(context.field(planes_of_operator)),
      scale_(context.field()) {
  make_exchanges();
}

void System::make_exchanges() {
  halo_.emplace(context_.halo(planes_of_operator - 1));
  halo_with_west_.emplace(context_.halo(planes_of_operator));
}

void System::set(const Coefficients& coefficients, workload::Listener& listener) {
  const bool alike =
      coefficients.north_west == nullptr || coefficients.north_west == coefficients.north_east;
  west_ = !alike || scaled_;
  std::array<double, 2> found{};  // the largest centre, and whether one is negative
  listener.kernel(take_card, context_.cells(), [&] {
    take(coefficients, alike);
    for_rows(context_, 0, [&](std::int64_t at, int n) {
      std::array<double, 2> here{};
      for (int i = 0; i < n; ++i) {
        const double value = planes_[at + i];
        here[0] = std::max(here[0], value);
        if (!(value >= 0.0)) here[1] = 1.0;
      }
#pragma omp critical(ocean_largest_centre)
      for (int k = 0; k < 2; ++k) found[k] = std::max(found[k], here[k]);
    });
  });
  listener.max(context_.setting.sum_phase, found);
  if (context_.real) {
    largest_ = found[0];
    if (found[1] > 0.0)
      throw std::invalid_argument("the operator is not positive: a cell has a negative centre");
  }
  (alike ? *halo_ : *halo_with_west_).run(listener, data_of(planes_));
  listener.kernel(scale_card, context_.cells(), [&] {
    const std::int64_t plane = context_.planes.size();
    if (alike && west_)
      std::copy_n(planes_.data() + north_east_plane * plane, plane,
                  planes_.data() + north_west_plane * plane);
    scale_all();
  });
}

void System::take(const Coefficients& from, bool alike) {
  const std::array<const double*, planes_of_operator> given{from.centre, from.east, from.north,
                                                            from.north_east, from.north_west};
  for (int plane = 0; plane < (alike ? north_west_plane : planes_of_operator); ++plane) {
    double* to = planes_.data() + plane * context_.planes.size();
    for_rows(context_, 0,
             [&](std::int64_t at, int n) { std::copy_n(given[plane] + at, n, to + at); });
  }
}

// The ghosts are scaled too, but for those farthest to the east and north, whose couplings lead out
// of the plane.
void System::scale_all() {
  const std::int64_t plane = context_.planes.size(), pitch = context_.planes.pitch();
  double* a = planes_.data();
  double* s = scale_.data();
  for_rows(context_, ghosts, [&](std::int64_t at, int n) {
    for (std::int64_t i = at; i < at + n; ++i)
      s[i] = a[i] > 0.0 ? (scaled_ ? 1.0 / std::sqrt(a[i]) : 1.0) : 0.0;
  });
  const auto scaled = [&](int which, std::int64_t from, std::int64_t to) {
    for_rows(context_, ghosts, [&](std::int64_t at, int n) {
      double* coupling = a + which * plane;
      for (std::int64_t i = at; i < at + n; ++i)
        if (i + std::max(from, to) < plane) coupling[i] *= s[i + from] * s[i + to];
    });
  };
  scaled(east_plane, 0, 1);
  scaled(north_plane, 0, pitch);
  scaled(north_east_plane, 0, pitch + 1);
  if (west_) scaled(north_west_plane, 1, pitch);
}

StencilPlanes System::stencil() const {
  const auto plane = [&](int which) { return planes_.data() + which * context_.planes.size(); };
  return {.centre = scaled_ ? nullptr : plane(centre_plane),
          .east = plane(east_plane),
          .north = plane(north_plane),
          .north_east = plane(north_east_plane),
          .north_west = west_ ? plane(north_west_plane) : nullptr,
          .pitch = context_.planes.pitch()};
}

double System::planes_read() const { return 3.0 + (west_ ? 1.0 : 0.0) + (scaled_ ? 0.0 : 1.0); }

double System::colours(bool of_tiles) const {
  const Layout& layout = context_.layout;
  const auto along = [&](int axis, int cells, bool periodic) {
    const int count = of_tiles ? static_cast<int>(layout.tiles(axis).size()) - 1 : cells;
    return periodic && count % 2 != 0 ? 3.0 : 2.0;
  };
  return along(0, layout.nx(), layout.periodic_x()) * along(1, layout.ny(), layout.periodic_y());
}

void System::enter(double* b, const double* x, double* y, workload::Listener& listener) const {
  const double* s = scale_.data();
  const double* w = scaled_ ? planes_.data() : nullptr;
  listener.kernel(enter_card, context_.cells(), [&] {
    for_rows(context_, 0, [&](std::int64_t at, int n) {
      for_vectors({0, n}, [&]<class V>(int i) {
        stored(b + at + i, loaded<V>(s + at + i) * loaded<V>(b + at + i));
      });
    });
    for_rows(context_, ghosts, [&](std::int64_t at, int n) {
      for_vectors({0, n}, [&]<class V>(int i) {
        const std::int64_t here = at + i;
        const V factor = loaded<V>(s + here);
        const V inverse = w == nullptr ? factor : factor * loaded<V>(w + here);
        stored(y + here, inverse * loaded<V>(x + here));
      });
    });
  });
}

void System::leave(const double* y, double* x, workload::Listener& listener) const {
  const double* s = scale_.data();
  listener.kernel(leave_card, context_.cells(), [&] {
    for_rows(context_, 0, [&](std::int64_t at, int n) {
      for_vectors({0, n}, [&]<class V>(int i) {
        stored(x + at + i, loaded<V>(s + at + i) * loaded<V>(y + at + i));
      });
    });
  });
}

}  // namespace phasewise::ocean
