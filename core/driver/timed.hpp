// Times a turn of several studies, one after the other on the same ranks.
#pragma once

#include <string>
#include <vector>

namespace phasewise::driver {

// Collective over all ranks, each of which has the flat parameters of all studies. As soon as a
// study is timed, rank 0 writes a line to times.jsonl in the folder `out`: `turns` of the
// repetition, `seconds` per turn, and `missed`, whether a rank came after the agreed start. There
// is only one repetition, since on a simulated machine all take the same time. Throws
// std::invalid_argument, on every rank alike, if the parameters of a study cannot be used, and
// std::runtime_error if the file cannot be written.
void time_studies(const std::vector<std::string>& studies, const std::string& out);

}  // namespace phasewise::driver
