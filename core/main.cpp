// The driver without Python, the same under mpiexec and under smpirun: phasewise-driver PARAMETERS
// runs a study's flat parameters and prints one line a turn; with --out its records go into files.
// With --probe it measures messages by the patterns of a file.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "comm/communicator.hpp"
#include "driver/record_files.hpp"
#include "driver/simulation.hpp"
#include "probe/pattern.hpp"

namespace {

using namespace phasewise;

constexpr const char* usage =
    "usage: phasewise-driver PARAMETERS [THREADS] [--out DIR], or "
    "phasewise-driver --probe FILE --out DIR";

struct Options {
  std::string parameters;
  int threads = 1;
  std::string out;    // empty: no files
  std::string probe;  // empty: a study is run
};

int threads_from(const char* text) {
  int threads = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, threads);
  if (error != std::errc{} || rest != end)
    throw std::invalid_argument(std::string("threads = ") + text + " is not a number");
  return threads;
}

Options options_from(int argc, char** argv) {
  Options options;
  int words = 0;
  for (int i = 1; i < argc; ++i) {
    const bool out = std::strcmp(argv[i], "--out") == 0;
    if (out || std::strcmp(argv[i], "--probe") == 0) {
      if (++i == argc) throw std::invalid_argument(usage);
      (out ? options.out : options.probe) = argv[i];
    } else if (++words == 1) {
      options.parameters = argv[i];
    } else if (words == 2) {
      options.threads = threads_from(argv[i]);
    }
  }
  const bool valid = options.probe.empty() ? words == 1 || words == 2 : words == 0;
  if (!valid || (!options.probe.empty() && options.out.empty())) throw std::invalid_argument(usage);
  return options;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument("cannot read the file " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void print_turn(std::int64_t turn, const driver::TurnRecord& record) {
  const beam::Moments& m = record.beam[0].moments;
  std::printf("%lld %.17g %.17g %.17g %.17g %.17g\n", static_cast<long long>(turn),
              record.luminosity.empty() ? 0.0 : record.luminosity[0], m.mean[0], m.mean[2],
              m.rms(0), m.rms(2));
}

void run_turns(driver::Simulation& simulation, const driver::Parameters& parameters,
               const std::string& out) {
  const bool talks = simulation.groups().world().rank() == 0;
  std::optional<driver::TurnFile> file;
  if (talks && !out.empty() && !simulation.skeleton()) file.emplace(out);
  if (talks) std::printf("# turn luminosity[1/m^2] x1[m] y1[m] sigma_x1[m] sigma_y1[m]\n");
  const std::int64_t turns = parameters.integer("turns");
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    simulation.step();
    if (talks) print_turn(turn, simulation.record());
    if (file) file->append(turn, simulation);
  }
  if (!out.empty()) driver::write_communication(out, simulation, parameters);
}

// Every rank meets an error of the input, and the first tells of it; any other error ends all ranks
// with the sentence of the rank that met it.
int run(const Options& options) {
  const int rank = comm::rank_of_all();
  std::unique_ptr<driver::Simulation> simulation;
  try {
    const std::string text = read_file(options.parameters);
    simulation = std::make_unique<driver::Simulation>(text, options.threads);
    run_turns(*simulation, driver::Parameters::parse(text), options.out);
  } catch (const std::exception& error) {
    if (!simulation && dynamic_cast<const std::invalid_argument*>(&error)) {
      if (rank == 0) std::fprintf(stderr, "phasewise: %s\n", error.what());
      return 2;
    }
    const std::string phase = simulation ? simulation->recorder().current() : "";
    std::fprintf(stderr, "phasewise: rank %d failed%s%s: %s\n", rank,
                 phase.empty() ? "" : " in phase ", phase.c_str(), error.what());
    std::fflush(stderr);
    comm::abort_all(1);
  }
  return 0;
}

int measure(const Options& options) {
  const int rank = comm::rank_of_all();
  try {
    probe::measure_patterns(probe::Script::parse(read_file(options.probe)), options.out);
  } catch (const std::invalid_argument& error) {
    if (rank == 0) std::fprintf(stderr, "phasewise: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "phasewise: rank %d failed: %s\n", rank, error.what());
    std::fflush(stderr);
    comm::abort_all(1);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  try {
    options = options_from(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "phasewise: %s\n", error.what());
    return 2;
  }
  comm::initialise();
  const int status = options.probe.empty() ? run(options) : measure(options);
  comm::finalise();
  return status;
}
