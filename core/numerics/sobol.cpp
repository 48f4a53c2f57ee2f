#include "numerics/sobol.hpp"

#include "numerics/philox.hpp"

namespace phasewise::numerics {

namespace {

constexpr int bits = 32;

// A primitive polynomial's degree and inner coefficients, and the first direction numbers.
struct Generator {
  int degree;
  std::uint32_t coefficients;
  std::uint32_t first[4];
};

constexpr Generator generators[sobol_dimensions - 1] = {
    {1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}, {3, 2, {1, 1, 1}}, {4, 1, {1, 1, 3, 3}}};

using Directions = std::array<std::array<std::uint32_t, bits>, sobol_dimensions>;

constexpr Directions make_directions() {
  Directions v{};
  for (int k = 0; k < bits; ++k) v[0][k] = 1u << (bits - 1 - k);
  for (int d = 1; d < sobol_dimensions; ++d) {
    const Generator& g = generators[d - 1];
    const int s = g.degree;
    for (int k = 0; k < s; ++k) v[d][k] = g.first[k] << (bits - 1 - k);
    for (int k = s; k < bits; ++k) {
      v[d][k] = v[d][k - s] ^ (v[d][k - s] >> s);
      for (int j = 1; j < s; ++j) {
        if ((g.coefficients >> (s - 1 - j)) & 1u) v[d][k] ^= v[d][k - j];
      }
    }
  }
  return v;
}

constexpr Directions directions = make_directions();

std::uint32_t reverse_bits(std::uint32_t x) {
  x = ((x >> 1) & 0x55555555u) | ((x & 0x55555555u) << 1);
  x = ((x >> 2) & 0x33333333u) | ((x & 0x33333333u) << 2);
  x = ((x >> 4) & 0x0F0F0F0Fu) | ((x & 0x0F0F0F0Fu) << 4);
  return __builtin_bswap32(x);
}

// No output bit of the hash depends on a higher input bit, so that applying it to reversed bits is
// nested scrambling. Laine, Karras, Comput. Graph. Forum 30 (2011) 1187; the constants are
// Vegdahl's, from Burley, J. Comput. Graph. Tech. 9 (2020) 1.
std::uint32_t nested_scramble(std::uint32_t x, std::uint32_t seed) {
  x = reverse_bits(x);
  x ^= x * 0x3D20ADEAu;
  x += seed;
  x *= (seed >> 16) | 1u;
  x ^= x * 0x05526C56u;
  x ^= x * 0x53A22864u;
  return reverse_bits(x);
}

}  // namespace

std::array<std::uint32_t, sobol_dimensions> sobol_point(std::uint32_t index) {
  std::array<std::uint32_t, sobol_dimensions> point{};
  const std::uint32_t gray = index ^ (index >> 1);
  for (int k = 0; k < bits; ++k) {
    if (((gray >> k) & 1u) == 0) continue;
    for (int d = 0; d < sobol_dimensions; ++d) point[d] ^= directions[d][k];
  }
  return point;
}

std::array<double, sobol_dimensions> scrambled_sobol_point(std::uint32_t index, std::uint64_t seed,
                                                           std::uint32_t stream,
                                                           std::uint32_t number) {
  const std::array<std::uint32_t, sobol_dimensions> point = sobol_point(index);
  std::array<double, sobol_dimensions> u{};
  for (int d = 0; d < sobol_dimensions; ++d) {
    const PhiloxWords hash =
        philox({static_cast<std::uint32_t>(d), number, 0, stream << 16},
               static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
    u[d] = (nested_scramble(point[d], hash.w0) + 0.5) * 0x1p-32;
  }
  return u;
}

}  // namespace phasewise::numerics
