// What the ranks of a recorded program did, from the file that phasewise/workloads/recorded/
// program_file.py writes: rows of distinct acts, and for each act of a rank its row and the
// computing before it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace phasewise::recorded {

// The columns of a row. `lists` are numbers of lists, -1 for none: of requests that a wait names,
// or of the sizes of a collective's blocks.
struct Act {
  // Kinds; a collective has `first_collective` and its exchange::CollectiveKind.
  enum Kind : std::int64_t { end, send, synchronous_send, receive, wait, first_collective };
  std::int64_t kind, phase, peer, bytes, tag, request, list, second_list, team;
};

struct RankActs {
  std::vector<Act> rows;
  std::vector<std::vector<std::int64_t>> lists;
  std::vector<std::int32_t> row_of;  // of each act
  std::vector<std::int64_t> gaps;    // computing before each act [ns]
};

class ProgramFile {
 public:
  // Throws std::invalid_argument, one sentence, if the file cannot be read or is damaged.
  explicit ProgramFile(std::string path);

  int ranks() const { return static_cast<int>(places_.size()); }
  const std::vector<std::string>& phases() const { return phases_; }
  // The members of the communicators in which collectives are called, by rank among all.
  const std::vector<std::vector<int>>& teams() const { return teams_; }
  RankActs acts_of(int rank) const;

 private:
  [[noreturn]] void fail(const std::string& why) const;
  void check(const RankActs& acts) const;
  bool fits(const RankActs& acts, const Act& act) const;

  std::string path_;
  std::vector<std::string> phases_;
  std::vector<std::vector<int>> teams_;
  std::vector<std::int64_t> places_;  // of each rank's part in the file
};

}  // namespace phasewise::recorded
