#include "atmosphere/sun.hpp"

#include <cmath>
#include <numbers>

namespace phasewise::atmosphere {
namespace {

constexpr double radians_of_degree = std::numbers::pi / 180.0;
constexpr double hour_seconds = 3600.0, day_hours = 24.0, year_days = 365.0;
constexpr double solstice = 172.0;  // day of the year

// The cosines of the hour angles of all longitudes. Those half a circle apart are exactly opposite.
std::vector<double> hour_cosines(const Geometry& geometry, double sun_longitude) {
  const int n = geometry.grid().longitudes, half = n / 2;
  std::vector<double> cosines(static_cast<std::size_t>(n));
  const bool even = n % 2 == 0;
  for (int j = 0; j < n; ++j)
    cosines[j] =
        even && j >= half ? -cosines[j - half] : std::cos(geometry.longitude(j) - sun_longitude);
  return cosines;
}

}  // namespace

Sun sun_at(const SunSetting& setting, double timestep, std::int64_t number) {
  const double hours = setting.hour + static_cast<double>(number) * timestep / hour_seconds;
  const double days = std::floor(hours / day_hours), hour = hours - days * day_hours;
  const double day = setting.day + days + (hour - 0.5 * day_hours) / day_hours;
  const double season = 2.0 * std::numbers::pi * (day - solstice) / year_days;
  return {.declination = radians_of_degree * setting.obliquity * std::cos(season),
          .longitude = radians_of_degree * (0.5 * day_hours - hour) * 360.0 / day_hours};
}

std::vector<double> zenith_cosines(const Geometry& geometry, const Sun& sun) {
  const int rows = geometry.grid().latitudes, n = geometry.grid().longitudes;
  const std::vector<double> hours = hour_cosines(geometry, sun.longitude);
  const double sine = std::sin(sun.declination), cosine = std::cos(sun.declination);
  std::vector<double> result(static_cast<std::size_t>(geometry.columns()));
  std::size_t column = 0;
  for (int row = 0; row < rows; ++row) {
    const double constant = geometry.sine(row) * sine, amplitude = geometry.cosine(row) * cosine;
    for (int j = 0; j < n; ++j) result[column++] = constant + amplitude * hours[j];
  }
  return result;
}

}  // namespace phasewise::atmosphere
