// A study's turn as a program of all ranks, for the models that follow its messages: the turn, told
// to a listener that writes down rounds, what the library is asked for taken apart into messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "contention/program.hpp"
#include "workload/pieces.hpp"

namespace phasewise::driver {

struct ProgramOptions {
  workload::PieceCounts counts;
  // 0: everything is written down. Else at most so many sizes of each series, and the first few of
  // exchanges that are repeated grid by grid.
  int max_series = 0;
  // A program that is about as long, for which room is made.
  const contention::RankProgram* like = nullptr;
};

// What `rank` does. `phases` collects the names that rounds number.
contention::RankProgram rank_program(const workload::Workload& study, int rank,
                                     const ProgramOptions& options,
                                     std::vector<std::string>& phases);

// All ranks, their messages matched; as many pieces as keep the messages below `max_messages`,
// three of each series at least.
contention::Program turn_program(const workload::Workload& study,
                                 const workload::PieceCounts& counts, std::int64_t max_messages);

}  // namespace phasewise::driver
