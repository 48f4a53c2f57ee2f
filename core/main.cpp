// The driver without Python: phasewise-driver PARAMETERS runs a study's flat parameters and prints
// one line a turn.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "comm/communicator.hpp"
#include "driver/simulation.hpp"

namespace {

std::string read_file(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(std::string("cannot read the parameter file ") + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int threads_from(const char* text) {
  int threads = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, threads);
  if (error != std::errc{} || rest != end)
    throw std::invalid_argument(std::string("threads = ") + text + " is not a number");
  return threads;
}

void run(const char* path, int threads) {
  using namespace phasewise;
  const std::string text = read_file(path);
  const std::int64_t turns = driver::Parameters::parse(text).integer("turns");
  driver::Simulation simulation(text, threads);
  const bool talks = simulation.groups().world().rank() == 0;
  if (talks) std::printf("# turn luminosity[1/m^2] x1[m] y1[m] sigma_x1[m] sigma_y1[m]\n");
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    simulation.step();
    const driver::TurnRecord& record = simulation.record();
    const beam::Moments& m = record.beam[0].moments;
    if (talks)
      std::printf("%lld %.17g %.17g %.17g %.17g %.17g\n", static_cast<long long>(turn),
                  record.luminosity.empty() ? 0.0 : record.luminosity[0], m.mean[0], m.mean[2],
                  m.rms(0), m.rms(2));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fprintf(stderr, "usage: phasewise-driver PARAMETERS [THREADS]\n");
    return 2;
  }
  phasewise::comm::initialise();
  try {
    run(argv[1], argc == 3 ? threads_from(argv[2]) : 1);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "phasewise-driver: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "phasewise-driver: %s\n", error.what());
    phasewise::comm::abort_all(1);
  }
  return 0;
}
