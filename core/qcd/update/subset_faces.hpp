// The faces of links along one axis on sites of one parity: what a sweep over such a subset has
// changed.
#pragma once

#include "qcd/exchange/halo_box.hpp"

namespace phasewise::qcd {

// One plane either way along `across`, of an array of links [site][4] over a box. The planes
// include the halo of earlier axes, one plane deep, so that corners arrive if the axes exchange in
// order.
Faces subset_faces(const HaloBox& box, int across, int mu, int parity);

}  // namespace phasewise::qcd
