// The simulation as Python sees it: step, record, particles without a copy.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"
#include "bindings/particles.hpp"
#include "collision/simulation.hpp"

namespace nb = nanobind;

namespace phasewise::collision {
namespace {

using bindings::Array;
using bindings::to_array;

int index_of(int beam) {
  if (beam != 1 && beam != 2)
    throw std::invalid_argument("beam " + std::to_string(beam) + " is not 1 or 2");
  return beam - 1;
}

int point_of(const Simulation& simulation, int ip) {
  if (ip < 1 || ip > simulation.interaction_points())
    throw std::invalid_argument("there is no interaction point " + std::to_string(ip));
  return ip - 1;
}

// Views of the particles; valid until the next step, which may sort them into other memory.
nb::dict particles(const nb::object& self, int beam) {
  beam::Bunch& bunch = nb::cast<Simulation&>(self).bunch(index_of(beam));
  bunch.exposed = true;
  return bindings::arrays_of(bunch.particles ? bunch.particles->view() : beam::ParticleView{},
                             self);
}

using Column = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Ids = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

void replace_particles(Simulation& simulation, int beam, const Ids& id, const Column& x,
                       const Column& px, const Column& y, const Column& py, const Column& z,
                       const Column& delta) {
  const std::size_t n = id.size();
  for (const Column* column : {&x, &px, &y, &py, &z, &delta})
    if (column->size() != n)
      throw std::invalid_argument("the particles' coordinates differ in length");
  // ParticleView has no read-only form; the simulation only reads these arrays.
  const auto values = [](const Column& column) { return const_cast<double*>(column.data()); };
  simulation.bunch(index_of(beam))
      .replace_particles({values(x), values(px), values(y), values(py), values(z), values(delta),
                          const_cast<std::uint32_t*>(id.data()), static_cast<std::int64_t>(n)});
}

nb::dict slices_of(const Simulation& simulation, int ip) {
  nb::dict result;
  const auto& both = simulation.point(point_of(simulation, ip)).slices;
  for (int b = 0; b < 2; ++b) {
    std::vector<double> count, z, mean, sigma;
    for (const GaussianSlice& s : both[b]) {
      count.push_back(s.count);
      z.push_back(s.z);
      mean.insert(mean.end(), s.mean.begin(), s.mean.end());
      for (const double square : {s.xx[0], s.xx[2], s.yy[0], s.yy[2]})
        sigma.push_back(std::sqrt(std::fmax(square, 0.0)));
    }
    const std::size_t n = count.size();
    nb::dict beam;
    beam["count"] = to_array(std::move(count), {n});
    beam["z"] = to_array(std::move(z), {n});
    beam["mean"] = to_array(std::move(mean), {n, 4});
    beam["sigma"] = to_array(std::move(sigma), {n, 4});
    result[nb::int_(b + 1)] = beam;
  }
  return result;
}

Array luminosity_of_pairs(const Simulation& simulation, int ip) {
  const int point = point_of(simulation, ip);
  const Slices slices = simulation.point(point).description.slices;
  std::vector<double> values = simulation.point(point).result.pair_luminosity;
  values.resize(pairs_in_all(slices), 0.0);
  return to_array(std::move(values),
                  {static_cast<std::size_t>(slices[0]), static_cast<std::size_t>(slices[1])});
}

Array photon_spectrum(const Simulation& simulation, int ip, int beam) {
  const PhotonTally& tally =
      simulation.point(point_of(simulation, ip)).result.photons[index_of(beam)];
  return to_array({tally.spectrum().begin(), tally.spectrum().end()}, {tally.spectrum().size()});
}

// Returns an empty dictionary if the model has no mesh, if this rank does not hold the beam, or if
// `ip` is not the first interaction point; the beams are there between turns.
nb::dict field_of_slice(Simulation& simulation, int ip, int beam, int slice) {
  const int point = point_of(simulation, ip);
  const int slices = simulation.point(point).description.slices[index_of(beam)];
  if (slice < 1 || slice > slices)
    throw std::invalid_argument("there is no slice " + std::to_string(slice) + " of " +
                                std::to_string(slices));
  SliceField f = point == 0 ? simulation.slice_field(index_of(beam), slice - 1) : SliceField{};
  nb::dict result;
  const std::size_t nx = f.x.size(), ny = f.y.size();
  if (nx == 0) return result;
  result["x"] = to_array(std::move(f.x), {nx});
  result["y"] = to_array(std::move(f.y), {ny});
  result["charge"] = to_array(std::move(f.charge), {nx, ny});
  result["potential"] = to_array(std::move(f.potential), {nx, ny});
  result["ex"] = to_array(std::move(f.ex), {nx, ny});
  result["ey"] = to_array(std::move(f.ey), {nx, ny});
  return result;
}

nb::list beams_here(const Simulation& simulation) {
  nb::list result;
  for (int b = 0; b < 2; ++b)
    if (simulation.holds(b)) result.append(b + 1);
  return result;
}

}  // namespace

void bind_process_grid(nb::module_& m);
void bind_mesh(nb::module_& m);
void bind_gaussian_kick(nb::module_& m);
void bind_frame(nb::module_& m);

void bind(nb::module_& m) {
  bind_process_grid(m);
  bind_mesh(m);
  bind_gaussian_kick(m);
  bind_frame(m);
  nb::class_<Simulation, workload::Run>(m, "Simulation", "Two colliding beams, turn after turn.")
      .def_prop_ro("beams_here", &beams_here, "Numbers of the beams that this rank holds.")
      .def("particles", &particles, nb::arg("beam"),
           "Views of this rank's living particles, in any order; valid until the next step.")
      .def(
          "macroparticles",
          [](const Simulation& s, int beam) {
            return s.bunch(index_of(beam)).constants.macroparticles;
          },
          nb::arg("beam"), "Macroparticles of the whole beam at the start.")
      .def(
          "first_id",
          [](const Simulation& s, int beam) { return s.bunch(index_of(beam)).first_id; },
          nb::arg("beam"))
      .def(
          "last_id", [](const Simulation& s, int beam) { return s.bunch(index_of(beam)).last_id; },
          nb::arg("beam"))
      .def_prop_ro("device_bytes", &Simulation::device_bytes,
                   "Bytes of a device's memory that this process holds; 0 on the CPU.")
      .def_prop_ro("device_operations", &Simulation::device_operations,
                   "Kernels, copies and other operations that this process has queued on a device "
                   "so far.")
      .def("replace_particles", &replace_particles, nb::arg("beam"), nb::arg("id"), nb::arg("x"),
           nb::arg("px"), nb::arg("y"), nb::arg("py"), nb::arg("z"), nb::arg("delta"),
           "Replaces this rank's particles; each id must belong to this rank and occur once.")
      .def("slices", &slices_of, nb::arg("ip"),
           "Slices of the last collision that records.slices_every chose.")
      .def("pair_luminosity", &luminosity_of_pairs, nb::arg("ip"),
           "Luminosity per crossing of each pair of slices in the last collision, "
           "[slice of beam 1, slice of beam 2], 1/m².")
      .def("photon_spectrum", &photon_spectrum, nb::arg("ip"), nb::arg("beam"),
           "Photons that this rank's particles emitted in the last turn, by the share of their "
           "energy: ten bins to a decade from 1e-8 to 1, the first with those below.")
      .def("slice_field", &field_of_slice, nb::arg("ip"), nb::arg("beam"), nb::arg("slice"),
           "Mesh field of a slice (counted from 1) of the beams as they are now. Collective.");
}

}  // namespace phasewise::collision
