// Physical constants of air and water, and the numbers of the surface and the large-scale flow.
#pragma once

namespace phasewise::atmosphere {

inline constexpr double gravity = 9.80665;            // m/s²
inline constexpr double heat_capacity_air = 1004.64;  // cp [J/(kg K)]
inline constexpr double gas_constant_air = 287.04;    // R [J/(kg K)]
inline constexpr double kappa = gas_constant_air / heat_capacity_air;
inline constexpr double latent_heat = 2.501e6;              // of evaporation [J/kg]
inline constexpr double stefan_boltzmann = 5.670374419e-8;  // W/(m² K⁴)
inline constexpr double surface_pressure = 1e5;             // Pa

// Saturation pressure over water 611.2 Pa exp(17.67 (T - 273.15 K)/(T - 29.65 K)): Bolton, Mon.
// Wea. Rev. 108 (1980) 1046, eq. 10. 17.67 · 243.5 K stands over T - 29.65 K.
inline constexpr double bolton_offset = 29.65;            // K
inline constexpr double bolton_slope = 4302.645;          // K
inline constexpr double bolton_log = 24.085424237852312;  // 17.67 + ln(611.2)
inline constexpr double vapour_ratio = 0.622;             // molar mass of water over that of air

// Air whose relative humidity is at least this counts as saturated when it rises.
inline constexpr double saturated_from = 0.9;
// A layer is unstable where it is colder by more than this than air that rises into it [K].
inline constexpr double stable_within = 1e-2;
// Relative excess over saturation that does not condense: twice the rounding of what just did.
inline constexpr double saturated_within = 1e-9;

inline constexpr double rain_time = 3000.0;        // of cloud water, until it has rained out [s]
inline constexpr double slab_capacity = 1e7;       // of the surface [J/(m² K)]
inline constexpr double exchange_density = 0.012;  // ρ C |u| of the bulk fluxes [kg/(m² s)]
inline constexpr double wetness = 0.8;             // share of the surface that evaporates

// The large-scale flow: times in which it restores the reference climate.
inline constexpr double restoring_time = 30.0 * 86400.0;           // temperatures [s]
inline constexpr double humidity_restoring_time = 10.0 * 86400.0;  // [s]

// Temperatures and humidities of columns that have not left the range of numbers.
inline constexpr double coldest = 100.0, hottest = 400.0;  // K
inline constexpr double most_vapour = 0.6;

}  // namespace phasewise::atmosphere
