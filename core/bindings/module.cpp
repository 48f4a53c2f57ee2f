// The two modules that phasewise._core may stand for, with and without MPI; every concept is bound
// by a function of its own.
#include <nanobind/nanobind.h>

// The list of workloads, compiled here for their bindings.
#define PHASEWISE_BINDINGS
#include "driver/workloads.cpp"

namespace nb = nanobind;

void bind_communicator(nb::module_& m);
void bind_numerics(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_box_field(nb::module_& m);
void bind_elements(nb::module_& m);
void bind_lattice(nb::module_& m);
void bind_exchange(nb::module_& m);
void bind_executor(nb::module_& m);
void bind_field(nb::module_& m);
void bind_global_sum(nb::module_& m);
void bind_plan(nb::module_& m);
void bind_links(nb::module_& m);
void bind_prediction(nb::module_& m);
void bind_probe(nb::module_& m);
void bind_row_transforms(nb::module_& m);
void bind_run(nb::module_& m);
void bind_schedule(nb::module_& m);

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of phasewise: kernels, communication, and the driver.";
  bind_communicator(m);
  bind_numerics(m);
  bind_linear(m);
  bind_box_field(m);
  bind_elements(m);
  bind_lattice(m);
  bind_exchange(m);
  bind_executor(m);
  bind_field(m);
  bind_global_sum(m);
  bind_plan(m);
  bind_links(m);
  bind_prediction(m);
  bind_probe(m);
  bind_row_transforms(m);
  bind_run(m);
  bind_schedule(m);
  bind_workloads(m);
}
