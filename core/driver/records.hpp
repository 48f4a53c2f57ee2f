// The records of a run in plain files, for a driver without Python: what each turn measured, and
// what the ranks recorded of their communication (docs/communication.md).
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "workload/run.hpp"

namespace phasewise::driver {

// Throws std::runtime_error, with the reason, if a file could not be opened or written.
void check_written(const std::ofstream& file, const std::string& path);

// turns.jsonl has one JSON object per turn, which is the same on every rank, so that one of them
// writes it. Its keys are "turn" and those that a record has in Python; matrices are written row by
// row.
class TurnFile {
 public:
  // Throws what check_written throws; so do the functions below.
  explicit TurnFile(const std::string& folder);
  void append(std::int64_t turn, const workload::Run& run);

 private:
  std::string path_;
  std::ofstream file_;
};

// Collective: rank 0 writes communication.json, and events.bin if events are kept. If the steps of
// a turn are sampled, "scale" has for each phase the bytes of all steps over those of the sampled
// ones; counts and times are those of the sampled steps. each: this rank's seconds of each turn on
// a simulated machine. Three turns or more give "variation": by how much those after the first
// differ from each other, their standard deviation over their mean, in the mean over the ranks.
void write_communication(const std::string& folder, const workload::Run& run,
                         const workload::Parameters& parameters, std::vector<double> each);

}  // namespace phasewise::driver
