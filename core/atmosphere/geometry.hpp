// Where the columns are: Gaussian latitudes, from the south, and longitudes (j + ½)·360°/n (Hale,
// Townsend, SIAM J. Sci. Comput. 35 (2013) A652, on the latitudes).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "atmosphere/description.hpp"

namespace phasewise::atmosphere {

class Geometry {
 public:
  explicit Geometry(const GridSetting& grid);

  const GridSetting& grid() const { return grid_; }
  std::int64_t columns() const { return grid_.columns(); }
  int latitude_of(std::int64_t column) const { return static_cast<int>(column / grid_.longitudes); }
  int longitude_of(std::int64_t column) const {
    return static_cast<int>(column % grid_.longitudes);
  }

  // The sine and cosine of a row's latitude, and the latitude itself [rad].
  double sine(int latitude) const { return sine_[latitude]; }
  double cosine(int latitude) const { return cosine_[latitude]; }
  double radians(int latitude) const { return radians_[latitude]; }
  // The longitude of a column [rad].
  double longitude(int number) const;
  // The share of the sphere that each column of a row has; all columns have 1.
  double share(int latitude) const { return share_[latitude]; }
  double largest_share() const { return *std::ranges::max_element(share_); }

  // The column at (-φ, λ + 180°); the longitudes must be even.
  std::int64_t twin(std::int64_t column) const {
    const int across = (longitude_of(column) + grid_.longitudes / 2) % grid_.longitudes;
    return std::int64_t{grid_.latitudes - 1 - latitude_of(column)} * grid_.longitudes + across;
  }

 private:
  GridSetting grid_;
  std::vector<double> sine_, cosine_, radians_, share_;
};

}  // namespace phasewise::atmosphere
