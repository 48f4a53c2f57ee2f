// One direction of a timestep: the piecewise parabolic method in Lagrangian coordinates with remap
// (Colella, Woodward, J. Comput. Phys. 54 (1984) 174), on a batch of pencils of zones.
#pragma once

#include <cstdint>
#include <memory>

#include "hydro/gas.hpp"
#include "hydro/grid.hpp"

namespace phasewise::hydro {

// How often the Riemann solver iterates: eight Newton steps, or until the pressure is converged.
enum class Riemann : std::uint8_t { newton_8, converged };
// plain: one pencil after another, with loops along it. fast: vectors across pencils.
enum class Kernel : std::uint8_t { plain, fast };

// An acceleration along planar axes, and that of a point mass at the origin.
struct Gravity {
  double acceleration[3] = {};
  double point_mass = 0.0;  // G M

  bool any() const {
    return point_mass != 0.0 || acceleration[0] != 0.0 || acceleration[1] != 0.0 ||
           acceleration[2] != 0.0;
  }
};

struct SweepSetting {
  Gas gas;
  Grid grid;
  Riemann riemann = Riemann::newton_8;
  Kernel kernel = Kernel::fast;
  int batch = 16;  // pencils in a call, at most
  Gravity gravity;
  Primitive inflow;
};

// What sweeps counted. Tallies of threads and ranks may be added in any order.
struct Tally {
  std::int64_t density_floors = 0, pressure_floors = 0;
  std::int64_t interfaces = 0, newton_steps = 0;  // of the Riemann solver
  // Zones whose faces met within the timestep, so that nothing is left of their volume. The state
  // is then lost.
  std::int64_t collapsed = 0;
  Zone collapsed_zone;  // the first of them in the grid

  void add(const Tally& other);
  void collapse(const Zone& zone);
};

// Pencils along the direction of a sweep. Zone i of pencil n has its values at
// values[field][i zone_stride + n pencil_stride]. The other two axes, in their order, are at
// first_other in the first pencil, and the one that `other_step` names, 0 or 1, grows by one from
// pencil to pencil.
struct Pencils {
  double* values[field::count] = {};
  std::int64_t zone_stride = 1, pencil_stride = 0;
  int count = 0;
  int first_other[2] = {};
  int other_step = 0;
};

class BatchSweep;

// The sweep along a direction, for one thread. It holds the temporaries of a batch.
class Sweep {
 public:
  Sweep(const SweepSetting& setting, int direction);
  Sweep(Sweep&&) noexcept;
  Sweep& operator=(Sweep&&) noexcept;
  ~Sweep();

  // Advances at most `batch` pencils, whole from boundary to boundary. The bits of a pencil depend
  // neither on the others nor on the kernel. With more than one direction the flattening that the
  // array holds is that of the sweep before, in another direction, and this sweep's replaces it.
  void operator()(const Pencils& pencils, double timestep, Tally& tally);

 private:
  std::unique_ptr<BatchSweep> batch_;
};

}  // namespace phasewise::hydro
