#include "driver/command_line.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "comm/agreed_start.hpp"
#include "comm/communicator.hpp"
#include "driver/records.hpp"
#include "driver/timed.hpp"
#include "driver/workloads.hpp"
#include "parallel/clock.hpp"
#include "probe/pattern.hpp"

namespace phasewise::driver {
namespace {

constexpr const char* usage =
    "usage: phasewise-driver PARAMETERS [THREADS] [--out DIR], or "
    "phasewise-driver --probe FILE --out DIR, or phasewise-driver --times FILE --out DIR";

struct Options {
  std::string parameters;
  int threads = 1;
  std::string out;    // empty: no files
  std::string probe;  // empty: no messages are measured
  std::string times;  // empty: no studies are timed
};

int threads_from(const char* text) {
  int threads = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, threads);
  if (error != std::errc{} || rest != end)
    throw std::invalid_argument(std::string("threads = ") + text + " is not a number");
  return threads;
}

// Where the value of an option goes; null if the word is no option.
std::string* value_of(std::string_view word, Options& options) {
  if (word == "--out") return &options.out;
  if (word == "--probe") return &options.probe;
  if (word == "--times") return &options.times;
  return nullptr;
}

Options options_from(int argc, char** argv) {
  Options options;
  int arguments = 0;
  for (int i = 1; i < argc; ++i) {
    if (std::string* value = value_of(argv[i], options)) {
      if (++i == argc) throw std::invalid_argument(usage);
      *value = argv[i];
    } else if (++arguments == 1) {
      options.parameters = argv[i];
    } else if (arguments == 2) {
      options.threads = threads_from(argv[i]);
    }
  }
  const bool measures = !options.probe.empty() || !options.times.empty();
  const bool valid = measures ? arguments == 0 && !options.out.empty() &&
                                    (options.probe.empty() || options.times.empty())
                              : arguments == 1 || arguments == 2;
  if (!valid) throw std::invalid_argument(usage);
  return options;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument("cannot read the file " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The contents of the files that a file lists, one per line.
std::vector<std::string> read_listed(const std::string& path) {
  std::istringstream names(read_file(path));
  std::vector<std::string> texts;
  for (std::string name; std::getline(names, name);) texts.push_back(read_file(name));
  return texts;
}

void print_head(const workload::Run& run) {
  std::printf("# turn");
  for (const auto& [name, value] : run.headline()) std::printf(" %s", name.c_str());
  std::printf("\n");
}

void print_turn(std::int64_t turn, const workload::Run& run) {
  std::printf("%lld", static_cast<long long>(turn));
  for (const auto& [name, value] : run.headline()) std::printf(" %.17g", value);
  std::printf("\n");
}

// Lets all ranks of a simulated machine begin at one moment. Otherwise the first turn would contain
// the time by which the start of the run has parted them, which is more than a short turn takes.
void set_off_together(const comm::Communicator& world) {
  constexpr double ticks = 1e9;  // per second
  std::int64_t latest[2] = {0, 0};
  for (std::int64_t& tick : latest) {
    tick = static_cast<std::int64_t>(parallel::clock().now() * ticks);
    world.agree({&tick, 1});
  }
  // The second agreement took about as long as lies between both moments, on any rank less than
  // four times as long.
  comm::wait_until(static_cast<double>(latest[1] + 4 * (latest[1] - latest[0])) / ticks);
}

void run_turns(workload::Run& run, const workload::Parameters& parameters, const std::string& out) {
  const bool is_root = run.session().world.rank() == 0;
  std::optional<TurnFile> file;
  if (is_root && !out.empty() && !run.session().skeleton) file.emplace(out);
  if (is_root) print_head(run);
  const std::int64_t turns = parameters.integer("turns");
  if (comm::simulated()) set_off_together(run.session().world);
  std::vector<double> each;  // seconds of this rank's turns on a simulated machine
  for (std::int64_t turn = 0; turn < turns && !run.finished(); ++turn) {
    const double before = run.session().seconds;
    run.step();
    if (comm::simulated()) each.push_back(run.session().seconds - before);
    if (is_root) print_turn(turn, run);
    if (file) file->append(turn, run);
  }
  if (!out.empty()) write_communication(out, run, parameters, std::move(each));
}

// Every rank meets an error of the input, and rank 0 reports it. Any other error ends all ranks
// with the message of the rank that met it.
int run_study(const Options& options) {
  const int rank = comm::rank_of_all();
  std::unique_ptr<workload::Run> run;
  try {
    const auto parameters = workload::Parameters::parse(read_file(options.parameters));
    run = start_study(parameters, options.threads);
    run_turns(*run, parameters, options.out);
  } catch (const std::exception& error) {
    if (!run && dynamic_cast<const std::invalid_argument*>(&error)) {
      if (rank == 0) std::fprintf(stderr, "phasewise: %s\n", error.what());
      return 2;
    }
    const std::string phase = run ? run->session().recorder.current() : "";
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
    if (options.times.empty())
      probe::measure_patterns(probe::Script::parse(read_file(options.probe)), options.out);
    else
      time_studies(read_listed(options.times), options.out);
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

// Whether MPI is started for a program of several threads. What is wrong with a script is said
// later.
bool in_threads(const Options& options) {
  if (options.probe.empty()) return true;
  try {
    return probe::Script::parse(read_file(options.probe)).threads;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

}  // namespace

int run_command_line(int argc, char** argv) {
  Options options;
  try {
    options = options_from(argc, argv);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "phasewise: %s\n", error.what());
    return 2;
  }
  comm::initialise(in_threads(options));
  const bool runs = options.probe.empty() && options.times.empty();
  const int status = runs ? run_study(options) : measure(options);
  comm::finalise();
  return status;
}

}  // namespace phasewise::driver
