// The time of a turn of several studies, one after the other on the same ranks.
#pragma once

#include <string>
#include <vector>

namespace phasewise::driver {

// Collective over all ranks, each of which has the flat parameters of all studies. Rank 0 writes
// times.jsonl into the folder `out`, a line for each study as soon as it is timed: `turns` of the
// repetition, `seconds` of a turn, and `missed`, whether a rank came after the agreed start. There
// is one repetition, since it is for simulated machines, where all take the same time. Throws
// std::invalid_argument, on every rank alike, if the parameters of a study cannot be used, and
// std::runtime_error if the file cannot be written.
void time_studies(const std::vector<std::string>& studies, const std::string& out);

}  // namespace phasewise::driver
