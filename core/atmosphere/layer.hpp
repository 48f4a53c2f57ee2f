// A layer in the delta-Eddington approximation (Joseph, Wiscombe, Weinman, J. Atmos. Sci. 33 (1976)
// 2452) of the two-stream equations (Meador, Weaver, J. Atmos. Sci. 37 (1980) 630, eqs. 11 to 13).
//
// All coefficients are those of the scaled layer times its scaled optical thickness τ', so that
// thin and conservative layers lose no digits, and mixtures are sums over their constituents.
#pragma once

#include "atmosphere/values.hpp"

namespace phasewise::atmosphere {

// Sums over the constituents of a layer, each with an absorption τa, a scattering τs and an
// asymmetry g.
template <class V>
struct LayerOptics {
  V absorption;  // Σ τa
  V transport;   // Σ τa + (1 - g) τs
  V scattering;  // Σ (1 - g²) τs, of the beam, without the forward peak
  V forward;     // Σ (g - g²) τs
};

template <class V>
struct Layer {
  V reflection, transmission;            // of diffuse light
  V beam_reflection, beam_transmission;  // of the beam into diffuse light
  V direct;                              // share of the beam that passes
};

// (e^-a - e^-b)/(b - a) for a, b >= 0 that are almost or wholly equal.
template <class V>
PHASEWISE_HD V between_decays(V a, V b, V smaller_decay) {
  const V distance = larger(magnitude(a - b), all_of<V>(1e-300));
  return smaller_decay * absorbed<V>(distance) / distance;
}

// `slant` is 1/µ of the beam.
//
// With x = kτ', y = τ'/µ, p = γ1 τ', q = γ2 τ' and the scattering s↑ = ω'γ3 τ', s↓ = ω'γ4 τ' of the
// beam, Green's function of the diffuse equations gives
//   beam_reflection = (s↑ C + (p s↑ + q s↓) S)/µD,  C = ∫ e^-yt cosh x(1 - t) dt,
//   S = ∫ e^-yt sinh x(1 - t)/x dt,  D = cosh x + p sinh x/x,
// and the same with t in the place of 1 - t and ↓ in that of ↑ for the transmission. The integrals
// go over t = 0 … 1; here they are multiplied by 2 e^-x.
template <class V>
PHASEWISE_HD Layer<V> layer_of(const LayerOptics<V>& optics, V cosine, V slant) {
  const V one = all_of<V>(1.0);
  const V p = fused(optics.transport, 0.75, optics.absorption);
  const V q = fused(optics.transport, 0.75, -optics.absorption);
  const V upward_part = 0.5 * optics.scattering, oblique = 0.75 * cosine * optics.forward;
  const V s_up = upward_part - oblique, s_down = upward_part + oblique;
  const V y = (optics.absorption + optics.scattering) * slant;
  // The floor changes a conservative layer by its square.
  const V x = larger(square_root(3.0 * optics.absorption * optics.transport), all_of<V>(1e-9));

  const V lost = absorbed<V>(x), lost_directly = absorbed<V>(y);
  const V decay = 1.0 - lost, direct = 1.0 - lost_directly;
  const V sinh_2 = lost * (one + decay);               // 2 e^-x sinh x
  const V cosh_2 = fused(decay, decay, one);           // 2 e^-x cosh x
  const V determinant = fused(p, sinh_2, x * cosh_2);  // 2 e^-x D x
  const V squares = (y - x) * (y + x);
  const auto resonant = magnitude(y - x) <= 0.02 * (y + x);
  const V safe = resonant ? one : squares;
  const V inverse = 1.0 / (determinant * x * safe);
  const V per_x = inverse * determinant * safe;
  const V per_determinant = x * inverse * x * safe;  // x over 2 e^-x D x
  const V per_squares = inverse * determinant * x;
  const V sinh_x = sinh_2 * per_x;

  V s_of_up = (2.0 * decay * direct + fused(y, sinh_x, -cosh_2)) * per_squares;
  V s_of_down = (2.0 * decay - direct * fused(y, sinh_x, cosh_2)) * per_squares;
  V c_of_up = fused(-y, s_of_up, sinh_x);
  V c_of_down = fused(y, s_of_down, direct * sinh_x);
  if (any(resonant)) {
    const V far = (lost + decay * lost_directly) / larger(x + y, all_of<V>(1e-300));
    const V near = between_decays(x, y, larger(decay, direct));
    s_of_up = resonant ? (far - decay * near) * per_x : s_of_up;
    c_of_up = resonant ? far + decay * near : c_of_up;
    s_of_down = resonant ? (near - decay * far) * per_x : s_of_down;
    c_of_down = resonant ? near + decay * far : c_of_down;
  }
  const V scale = slant * per_determinant;
  const V mixed_up = fused(p, s_up, q * s_down), mixed_down = fused(p, s_down, q * s_up);
  return {.reflection = q * sinh_x * per_determinant,
          .transmission = 2.0 * decay * per_determinant,
          .beam_reflection = scale * fused(s_up, c_of_up, mixed_up * s_of_up),
          .beam_transmission = scale * fused(s_down, c_of_down, mixed_down * s_of_down),
          .direct = direct};
}

}  // namespace phasewise::atmosphere
