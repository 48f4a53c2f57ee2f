#include "field/periodic_green.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace phasewise::field {
namespace {

// The contribution at a² and ρ² of the periods beyond the nearest ones on one side; a is the
// distance to where they begin.
double rest_of_side(double a, double rho2, double period) {
  const double r2 = rho2 + a * a, r = std::sqrt(r2), ratio = period / r;
  const double along = a / r;
  const double first = -along * ratio * ratio;  // L² g'
  const double third = 3.0 * along * ratio * ratio * ratio * ratio * (3.0 - 5.0 * along * along);
  return (-std::log((a + r) / period) + first / 24.0 - 7.0 * third / 5760.0) / period;
}

class Sum {
 public:
  Sum(BoxGreen kind, const std::array<double, 3>& h, const std::array<int, 3>& size, int first,
      int count)
      : kind_(kind),
        h_(h),
        size_(size),
        first_(first),
        count_(count),
        plane_(static_cast<std::size_t>(size[0]) * size[1]),
        one_(plane_),
        values_(plane_ * count) {}

  std::vector<double> of_all_periods() {
    add_ahead(0);
    for (int n = 1; n <= periodic_green_images; ++n) {
      add_ahead(n);
      add_behind(n);
    }
    add_rest();
    return std::move(values_);
  }

 private:
  void add_next(GreenPlanes& distances, int plane) {
    distances.next(one_.data());
    double* to = values_.data() + plane * plane_;
    for (std::size_t i = 0; i < plane_; ++i) to[i] += one_[i];
  }
  // Adds the source n periods ahead; add_behind adds the one n periods behind.
  void add_ahead(int n) {
    GreenPlanes distances(kind_, h_, size_[0], size_[1], n * size_[2] + first_);
    for (int k = 0; k < count_; ++k) add_next(distances, k);
  }
  void add_behind(int n) {
    GreenPlanes distances(kind_, h_, size_[0], size_[1], n * size_[2] - first_ - count_ + 1);
    for (int k = count_ - 1; k >= 0; --k) add_next(distances, k);
  }
  void add_rest() {
    const double period = size_[2] * h_[2], reach = (periodic_green_images + 0.5) * period;
    for (int k = 0; k < count_; ++k) {
      const double z = (first_ + k) * h_[2];
      double* to = values_.data() + k * plane_;
      for (int i = 0; i < size_[0]; ++i)
        for (int j = 0; j < size_[1]; ++j) {
          const double x = i * h_[0], y = j * h_[1], rho2 = x * x + y * y;
          *to++ += rest_of_side(reach - z, rho2, period) + rest_of_side(reach + z, rho2, period);
        }
    }
  }

  BoxGreen kind_;
  std::array<double, 3> h_;
  std::array<int, 3> size_;
  int first_, count_;
  std::size_t plane_;
  std::vector<double> one_, values_;
};

}  // namespace

std::vector<double> periodic_green_planes(BoxGreen kind, const std::array<double, 3>& h,
                                          const std::array<int, 3>& size, int first, int count) {
  return Sum(kind, h, size, first, count).of_all_periods();
}

}  // namespace phasewise::field
