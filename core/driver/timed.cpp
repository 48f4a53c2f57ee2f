#include "driver/timed.hpp"

#include <fstream>

#include "comm/communicator.hpp"
#include "driver/records.hpp"
#include "driver/workloads.hpp"
#include "workload/turn_times.hpp"

namespace phasewise::driver {
namespace {

void write(std::ofstream& file, const workload::TurnTimes& times) {
  file << "{\"turns\": " << times.turns << ", \"seconds\": " << times.seconds.front()
       << ", \"missed\": " << (times.missed.front() > 0.0 ? "true" : "false") << "}\n"
       << std::flush;
}

}  // namespace

void time_studies(const std::vector<std::string>& studies, const std::string& out) {
  const std::string path = out + "/times.jsonl";
  std::ofstream file;
  file.precision(17);
  if (comm::rank_of_all() == 0) {
    file.open(path);
    check_written(file, path);
  }
  for (const std::string& text : studies) {
    const auto run = start_study(workload::Parameters::parse(text), 1);
    const workload::TurnTimes times = workload::time_turns(*run, {});
    if (!file.is_open()) continue;
    write(file, times);
    check_written(file, path);
  }
}

}  // namespace phasewise::driver
