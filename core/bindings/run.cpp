// A run of any workload as Python sees it: step, record, rows of its state.
#include "workload/run.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <span>

#include "bindings/arrays.hpp"
#include "driver/composite_run.hpp"
#include "driver/workloads.hpp"
#include "workload/turn_times.hpp"

namespace nb = nanobind;

namespace {

using namespace phasewise;
using bindings::numpy;
using workload::Run;

nb::dict record(const Run& run) {
  nb::dict result;
  for (workload::Value& value : run.record()) {
    if (value.shape.empty())
      result[value.name.c_str()] = value.values[0];
    else
      result[value.name.c_str()] = bindings::to_array(std::move(value.values), value.shape);
  }
  return result;
}

nb::tuple communication(const Run& run, bool events) {
  const auto& kept = run.session().recorder.events();
  const std::size_t size = events ? kept.size() * sizeof(comm::Event) : 0;
  return nb::make_tuple(run.communication(), nb::bytes(kept.data(), size));
}

nb::list phases(const Run& run) {
  nb::list result;
  const auto& recorder = run.session().recorder;
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

nb::list kernel_counts(const Run& run) {
  nb::list result;
  for (const auto& [name, r] : run.session().kernels.records()) {
    nb::dict kernel;
    kernel["name"] = name;
    kernel["items"] = r.items;
    kernel["seconds"] = r.seconds;
    kernel["flops"] = r.flops;
    kernel["bytes"] = r.bytes;
    kernel["additions"] = r.additions;
    kernel["calls"] = r.calls;
    kernel["working_sets"] = r.working_sets;
    kernel["single"] = r.single;
    result.append(kernel);
  }
  return result;
}

// Turns what was thrown into an exception of Python; None if nothing was.
nb::object as_exception(const std::exception_ptr& failure) {
  if (!failure) return nb::none();
  try {
    std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    return nb::handle(PyExc_MemoryError)();
  } catch (const std::invalid_argument& error) {
    return nb::handle(PyExc_ValueError)(error.what());
  } catch (const std::exception& error) {
    return nb::handle(PyExc_RuntimeError)(error.what());
  } catch (...) {
    return nb::handle(PyExc_RuntimeError)("the turn failed and did not say why");
  }
}

// While it lives, Python's other threads go on, unless a run is on a device. A process must use its
// devices from one thread at a time (gpu/memory.hpp); the interpreter's lock ensures that, since
// all calls hold it, including those that make, read or end a run.
class OthersGoOn {
 public:
  explicit OthersGoOn(std::span<Run* const> beside) {
    const auto on_device = [](const Run* run) {
      return run->session().device != workload::Device::cpu;
    };
    if (std::ranges::none_of(beside, on_device)) released_.emplace();
  }

 private:
  std::optional<nb::gil_scoped_release> released_;
};

void step(Run& run) {
  Run* const one[] = {&run};
  const OthersGoOn beside(one);
  run.step();
}

nb::list step_together(const std::vector<Run*>& runs) {
  std::vector<std::exception_ptr> failures;
  {
    const OthersGoOn beside(runs);
    failures = workload::step_together(runs);
  }
  nb::list result;
  for (const std::exception_ptr& failure : failures) result.append(as_exception(failure));
  return result;
}

nb::dict turn_times(Run& run, int least, int most, double seconds) {
  workload::TurnTimes found;
  Run* const one[] = {&run};
  {
    const OthersGoOn beside(one);
    found = workload::time_turns(run, {.least = least, .most = most, .seconds = seconds});
  }
  nb::dict result;
  result["turns"] = found.turns;
  result["seconds"] = numpy(std::move(found.seconds));
  result["missed"] = numpy(std::move(found.missed));
  return result;
}

std::string device_of(const Run& run) {
  switch (run.session().device) {
    case workload::Device::cuda:
      return "cuda";
    case workload::Device::emulated:
      return "emulated";
    default:
      return "cpu";
  }
}

// None if a run exchanges nothing from a device.
nb::object device_buffers_of(const Run& run) {
  const workload::Session& session = run.session();
  if (session.device == workload::Device::cpu || session.world.size() == 1) return nb::none();
  return nb::str(session.device_buffers == workload::DeviceBuffers::direct ? "direct" : "staged");
}

nb::dict pieces(const Run& run) {
  nb::dict result;
  for (const auto& [name, count] : run.piece_counts()) result[name.c_str()] = count;
  return result;
}

nb::dict state(const Run& run) {
  nb::dict result;
  for (const std::string& set : run.row_sets()) {
    workload::Rows rows = run.rows(set);
    nb::dict columns;
    columns["id"] = numpy(std::move(rows.id));
    for (auto& [name, values] : rows.columns) columns[name.c_str()] = numpy(std::move(values));
    result[set.c_str()] = columns;
  }
  return result;
}

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::vector<T> copy_of(const Column<T>& column) {
  return {column.data(), column.data() + column.size()};
}

nb::list part(const nb::object& self, const std::string& name) {
  nb::list result;
  auto* composite = dynamic_cast<driver::CompositeRun*>(nb::cast<Run*>(self));
  if (composite == nullptr) {
    result.append(self);
    return result;
  }
  for (Run* run : composite->runs_of(name))
    result.append(nb::cast(run, nb::rv_policy::reference_internal, self));
  return result;
}

void restore(Run& run, const std::string& set, const Column<std::int64_t>& id,
             const nb::dict& columns) {
  workload::Rows rows{copy_of(id), {}};
  for (const auto& [name, values] : columns) {
    rows.columns.emplace_back(nb::cast<std::string>(name),
                              copy_of(nb::cast<Column<double>>(values)));
    if (rows.columns.back().second.size() != rows.id.size())
      throw std::invalid_argument("the columns of '" + set + "' differ in length");
  }
  run.replace_rows(set, rows);
}

}  // namespace

void bind_run(nb::module_& m) {
  nb::class_<Run>(m, "Run", "A study that runs, turn after turn; every call is made on all ranks.")
      .def("step", &step,
           "Runs one turn. Python's other threads go on meanwhile, unless the run is on a device: "
           "then a "
           "rank must not wait for another thread of its own.")
      .def("time", &turn_times, nb::arg("least"), nb::arg("most"), nb::arg("seconds"),
           "Repeats turns from starts that all ranks agree on, as often as fits into `seconds`, "
           "but between `least` and `most` times. Returns a dict: `turns` per repetition, and for "
           "each repetition the `seconds` of a turn, the longest over the ranks, and `missed`, "
           "whether a rank came after the start.")
      .def_prop_ro("turn", &Run::turn, "Turns done.")
      .def_prop_ro("finished", &Run::finished,
                   "Whether the run has reached its end, however many turns were asked for; there "
                   "are no more turns then. The same on every rank.")
      .def("set_turn", &Run::set_turn, nb::arg("turn"))
      .def("record", &record, "What the last turn measured, the same on every rank.")
      .def("state", &state,
           "Rows of this rank that a checkpoint keeps: sets of columns, each with `id`.")
      .def(
          "owned", [](const Run& run, const std::string& set) { return numpy(run.own_rows(set)); },
          nb::arg("set"), "Ids of the rows that belong to this rank.")
      .def("restore", &restore, nb::arg("set"), nb::arg("id"), nb::arg("columns"),
           "Replaces this rank's rows with these.")
      .def("set_communication", &Run::set_communication, nb::arg("parameters"),
           "Changes how the ranks exchange from the next turn on: takes communication.* parameters "
           "except those of places, the same on all ranks. ValueError if they cannot be used.")
      .def("communication", &communication, nb::arg("events"),
           "This rank's records, one line of JSON, and its events (docs/communication.md).")
      .def("pieces", &pieces, "How often each data-dependent piece of a turn has occurred so far.")
      .def("phases", &phases,
           "Calls, messages, bytes and seconds of each communication phase on this rank.")
      .def("part", &part, nb::arg("workload"),
           "The runs of one of a composite's workloads on this rank: one, or one for each bunch "
           "that this rank holds. For any other run, the run itself.")
      .def_prop_ro("device", &device_of,
                   "Where the kernels of this rank run: cpu, cuda or emulated.")
      .def_prop_ro("device_buffers", &device_buffers_of,
                   "How the ranks exchange data of their devices: direct, from and into the "
                   "device's memory, or staged, through the host's; None if they exchange none.")
      .def("kernels", &kernel_counts,
           "Items, seconds, flops and bytes of each kernel on this rank; calls with items, and "
           "the sum of their working sets [bytes].");
  m.def("step_together", &step_together, nb::arg("runs"),
        "Runs one turn of each of several runs of one rank; runs on the same device share launches "
        "of kernels. Returns a list of what ended each of them: an exception, or None.");
  m.def(
      "start",
      [](const std::string& parameters, int threads) {
        return driver::start_study(workload::Parameters::parse(parameters), threads);
      },
      nb::arg("parameters"), nb::arg("threads") = 1,
      "A run from the flat parameter text; ValueError with one sentence if it cannot be used.");
}
