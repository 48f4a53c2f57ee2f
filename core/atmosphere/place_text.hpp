// The place of a column in words.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <string>

#include "atmosphere/geometry.hpp"

namespace phasewise::atmosphere {

// As "34.9° N, 12.7° E (column 5017)".
inline std::string place_text(const Geometry& geometry, std::int64_t column) {
  constexpr double degrees = 180.0 / std::numbers::pi;
  const double latitude = degrees * geometry.radians(geometry.latitude_of(column));
  const double longitude = degrees * geometry.longitude(geometry.longitude_of(column));
  char text[96];
  std::snprintf(text, sizeof text, "%.1f° %s, %.1f° E (column %lld)", std::fabs(latitude),
                latitude < 0.0 ? "S" : "N", longitude, static_cast<long long>(column));
  return text;
}

}  // namespace phasewise::atmosphere
