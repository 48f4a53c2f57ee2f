// An ocean as Python sees it: its map, its longest timesteps, and a run.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "ocean/bindings_solver.hpp"
#include "ocean/limits.hpp"
#include "ocean/run.hpp"

namespace nb = nanobind;

namespace phasewise::ocean {
namespace {

template <class T>
nb::object table(std::vector<T> values, std::size_t rows, std::size_t columns) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<2>>(kept->data(), {rows, columns}, owner));
}

nb::dict map_of(const std::string& text, int ranks) {
  const Ocean ocean(workload::Parameters::parse(text),
                    workload::Nodes(static_cast<std::size_t>(ranks), 0));
  std::vector<std::int64_t> blocks;
  for (const Block& block : ocean.sea_layout().blocks())
    for (const int value : {block.x, block.y, block.nx, block.ny, block.owner})
      blocks.push_back(value);
  const std::size_t count = blocks.size() / 5;
  nb::dict found;
  found["levels"] = table(std::vector<std::int16_t>(ocean.floor().levels()), ocean.grid().ny(),
                          ocean.grid().nx());
  found["blocks"] = table(std::move(blocks), count, 5);
  return found;
}

nb::dict operator_of(const std::string& text) {
  const Ocean ocean(workload::Parameters::parse(text), workload::Nodes(1, 0));
  const Planes planes(ocean.sea_layout(), 0);
  const Domain domain(ocean.grid(), ocean.floor(), planes, ocean.description().baroclinic,
                      workload::Contents::real);
  Barotropic barotropic(domain, ocean.description().terms);
  const Coefficients found = barotropic.fill_operator();
  const int nx = ocean.grid().nx(), ny = ocean.grid().ny();
  const auto whole = [&](const double* plane) {
    std::vector<double> values(static_cast<std::size_t>(nx) * ny);
    for (const RowPlace& row : domain.rows())
      std::copy_n(
          plane + row.at, row.nx,
          values.data() + static_cast<std::size_t>(row.y) * nx + planes.parts()[row.part].x);
    return table(std::move(values), ny, nx);
  };
  nb::dict result;
  result["centre"] = whole(found.centre);
  result["east"] = whole(found.east);
  result["north"] = whole(found.north);
  result["north_east"] = result["north_west"] = whole(found.north_east);
  return result;
}

nb::dict limits_of(const std::string& text) {
  const Description description(workload::Parameters::parse(text));
  nb::dict found;
  for (const auto& [name, limit] : timestep_limits(description, Grid(description.grid)))
    found[name.c_str()] = limit;
  return found;
}

void check_blocks(const std::string& text) {
  check_evp_block(Description(workload::Parameters::parse(text)));
}

}  // namespace

void bind(nb::module_& m) {
  bind_solver(m);
  m.def(
      "ocean_map", &map_of, nb::arg("parameters"), nb::arg("ranks"),
      "levels: the sea levels of each cell, [j][i] from the south; blocks: for each block its "
      "first cell along x and y, its cells along x and y, and its rank, -1 where it was dropped.");
  m.def("ocean_operator", &operator_of, nb::arg("parameters"),
        "The coefficients of the free surface by their names, as NinePointSolver takes them.");
  m.def("ocean_limits", &limits_of, nb::arg("parameters"),
        "The longest stable timestep [s] by each of its causes: viscosity, diffusivity, internal "
        "waves; infinite where there is none.");
  m.def("ocean_check_blocks", &check_blocks, nb::arg("parameters"),
        "ValueError if the blocks of evp are too large; it names the largest.");
  nb::class_<Run, workload::Run>(m, "OceanRun", "Timesteps of an ocean.");
}

}  // namespace phasewise::ocean
