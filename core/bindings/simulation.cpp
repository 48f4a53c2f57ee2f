// The simulation as Python sees it: step, record, particles without a copy.
#include "driver/simulation.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/arrays.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;
using bindings::Array;
using bindings::to_array;
using driver::Simulation;

template <class Container>
Array vector_of(const Container& values) {
  std::vector<double> copy(values.begin(), values.end());
  const std::size_t n = copy.size();
  return to_array(std::move(copy), {n});
}

Array matrix_of(const std::array<std::array<double, 6>, 6>& m) {
  std::vector<double> copy;
  for (const auto& row : m) copy.insert(copy.end(), row.begin(), row.end());
  return to_array(std::move(copy), {6, 6});
}

nb::dict record(const Simulation& simulation) {
  const driver::TurnRecord& r = simulation.record();
  nb::dict result;
  result["luminosity"] = vector_of(r.luminosity);
  for (int b = 0; b < 2; ++b) {
    const auto& beam = r.beam[b];
    const auto put = [&](const char* name, auto&& value) {
      result[nb::str((std::to_string(b + 1) + "/" + name).c_str())] = value;
    };
    put("mean", vector_of(beam.moments.mean));
    put("covariance", matrix_of(beam.moments.covariance));
    put("moment3", vector_of(beam.moments.third));
    put("moment4", vector_of(beam.moments.fourth));
    put("emittance", vector_of(beam::emittances(beam.moments)));
    put("particles", beam.moments.particles);
    put("losses", static_cast<double>(beam.losses));
    put("outside", vector_of(beam.outside));
    if (simulation.tracked() > 0)
      put("tracked", to_array(std::vector<double>(beam.tracked),
                              {static_cast<std::size_t>(simulation.tracked()), 6}));
  }
  return result;
}

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
nb::dict particles(nb::object self, int beam) {
  driver::Bunch& bunch = nb::cast<Simulation&>(self).bunch(index_of(beam));
  nb::dict result;
  beam::ParticleView p{};
  if (bunch.particles) p = bunch.particles->view();
  bunch.exposed = true;
  const auto size = static_cast<std::size_t>(p.size);
  const auto put = [&](const char* name, auto* data) {
    using Value = std::remove_pointer_t<decltype(data)>;
    result[name] = nb::ndarray<nb::numpy, Value>(data, {size}, self);
  };
  put("x", p.x);
  put("px", p.px);
  put("y", p.y);
  put("py", p.py);
  put("z", p.z);
  put("delta", p.delta);
  put("id", p.id);
  return result;
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
  // A view has no form for reading alone; the simulation only reads these.
  const auto values = [](const Column& column) { return const_cast<double*>(column.data()); };
  simulation.replace_particles(
      index_of(beam), {values(x), values(px), values(y), values(py), values(z), values(delta),
                       const_cast<std::uint32_t*>(id.data()), static_cast<std::int64_t>(n)});
}

nb::dict slices(const Simulation& simulation, int ip) {
  nb::dict result;
  const auto& both = simulation.slices(point_of(simulation, ip));
  for (int b = 0; b < 2; ++b) {
    std::vector<double> count, z, mean, sigma;
    for (const collision::GaussianSlice& s : both[b]) {
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

Array pair_luminosity(const Simulation& simulation, int ip) {
  const int point = point_of(simulation, ip);
  const auto n = static_cast<std::size_t>(simulation.slice_count(point));
  std::vector<double> values = simulation.pair_luminosity(point);
  values.resize(n * n, 0.0);
  return to_array(std::move(values), {n, n});
}

// An empty dictionary where the model has no mesh, this rank does not hold the beam, or the beams
// are not there: they stand at the first interaction point.
nb::dict slice_field(Simulation& simulation, int ip, int beam, int slice) {
  const int point = point_of(simulation, ip);
  if (slice < 1 || slice > simulation.slice_count(point))
    throw std::invalid_argument("there is no slice " + std::to_string(slice) + " of " +
                                std::to_string(simulation.slice_count(point)));
  collision::SliceField f =
      point == 0 ? simulation.slice_field(index_of(beam), slice - 1) : collision::SliceField{};
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

nb::tuple communication(const Simulation& simulation, bool events) {
  const auto& kept = simulation.recorder().events();
  const std::size_t size = events ? kept.size() * sizeof(comm::Event) : 0;
  return nb::make_tuple(simulation.communication(), nb::bytes(kept.data(), size));
}

nb::list phases(const Simulation& simulation) {
  nb::list result;
  const auto& recorder = simulation.recorder();
  for (std::size_t i = 0; i < recorder.names().size(); ++i) {
    const auto& r = recorder.record(static_cast<int>(i));
    nb::dict phase;
    phase["name"] = recorder.names()[i];
    phase["calls"] = r.calls;
    phase["messages"] = r.messages;
    phase["bytes"] = r.bytes;
    phase["seconds"] = r.communicating;
    result.append(phase);
  }
  return result;
}

nb::list kernels(const Simulation& simulation) {
  nb::list result;
  for (const auto& [name, r] : simulation.kernel_times().records()) {
    nb::dict kernel;
    kernel["name"] = name;
    kernel["items"] = r.items;
    kernel["seconds"] = r.seconds;
    kernel["flops"] = r.flops;
    kernel["bytes"] = r.bytes;
    result.append(kernel);
  }
  return result;
}

nb::list beams_here(const Simulation& simulation) {
  nb::list result;
  for (int b = 0; b < 2; ++b)
    if (simulation.groups().holds(b)) result.append(b + 1);
  return result;
}

}  // namespace

void bind_simulation(nb::module_& m) {
  nb::class_<Simulation>(m, "Simulation",
                         "Two beams, turn after turn; every call is made on all ranks.")
      .def(nb::init<const std::string&, int>(), nb::arg("parameters"), nb::arg("threads") = 1,
           "From the flat parameter text; ValueError with one sentence where it cannot be used.")
      .def("step", &Simulation::step, nb::call_guard<nb::gil_scoped_release>(), "One turn.")
      .def_prop_ro("turn", &Simulation::turn, "Turns done.")
      .def("set_turn", &Simulation::set_turn, nb::arg("turn"))
      .def("record", &record, "What the last turn measured, the same on every rank.")
      .def_prop_ro("beams_here", &beams_here, "Beams of which this rank holds particles.")
      .def("particles", &particles, nb::arg("beam"),
           "Views of this rank's living particles, in any order; valid until the next step.")
      .def(
          "macroparticles",
          [](const Simulation& s, int beam) { return s.bunch(index_of(beam)).macroparticles; },
          nb::arg("beam"), "At the start, of the whole beam.")
      .def(
          "first_id",
          [](const Simulation& s, int beam) { return s.bunch(index_of(beam)).first_id; },
          nb::arg("beam"))
      .def(
          "last_id", [](const Simulation& s, int beam) { return s.bunch(index_of(beam)).last_id; },
          nb::arg("beam"))
      .def("replace_particles", &replace_particles, nb::arg("beam"), nb::arg("id"), nb::arg("x"),
           nb::arg("px"), nb::arg("y"), nb::arg("py"), nb::arg("z"), nb::arg("delta"),
           "Puts these in the place of this rank's particles; ids are this rank's, each once.")
      .def("set_communication", &Simulation::set_communication, nb::arg("parameters"),
           "Exchange in another way from the next turn on: communication.* parameters, but those "
           "of places. The same on all ranks; ValueError where they cannot be used.")
      .def("slices", &slices, nb::arg("ip"),
           "Slices of the last collision that records.slices_every chose.")
      .def("pair_luminosity", &pair_luminosity, nb::arg("ip"),
           "[slice of beam 1, slice of beam 2], 1/m²")
      .def("slice_field", &slice_field, nb::arg("ip"), nb::arg("beam"), nb::arg("slice"),
           "Mesh field of a slice (counted from 1) of the beams as they are now. Collective.")
      .def("communication", &communication, nb::arg("events"),
           "This rank's records, one line of JSON, and its events (docs/communication.md).")
      .def("phases", &phases,
           "Calls, messages, bytes and seconds of each communication phase on this rank.")
      .def("kernels", &kernels, "Items, seconds, flops and bytes of each kernel on this rank.");
}
