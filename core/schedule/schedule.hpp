// The calls of a recorded program in time, and when they would be made if some took no time.
//
// A lane is a thread of a rank: calls one after the other, with a gap before each. A call ends when
// it has taken its own time after the last of what it waits for: its own beginning, that of single
// other calls, and that of the calls of its group, a collective.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace phasewise::schedule {

enum Role : std::uint8_t { gives = 1, needs = 2 };  // of a call in its group

// Calls lane by lane, in each in the order of time; spans of n calls and of l lanes.
struct Measured {
  std::span<const std::int64_t> first;      // l + 1: the calls of lane i begin at first[i]
  std::span<const double> began, ended;     // l: when a lane began and ended [s]
  std::span<const double> start, end;       // n: when each call began and ended [s]
  std::span<const std::int64_t> waits;      // n + 1: what call i waits for begins at waits[i]
  std::span<const std::int32_t> waits_for;  // calls at whose beginning a wait ends
  std::span<const std::int32_t> group;      // n: -1 for none
  std::span<const std::uint8_t> role;       // n
};

// What takes no time: a call with this label, or the gap before such calls.
struct Without {
  std::int32_t label;
  bool gap;
};

class Schedule {
 public:
  // Throws std::invalid_argument if the spans do not fit each other.
  explicit Schedule(const Measured& measured);

  // When the last lane would end [s] if the own time of some calls, or of some gaps, were nothing.
  // labels (n).
  double end_without(std::span<const std::int32_t> labels, Without what) const;

 private:
  void check() const;
  void put_in_order();
  // Calls f(call, lane, ends) for each beginning and end of a call, in the order in which they were
  // measured.
  template <class F>
  void each(const F& f) const;
  // When the call would end but for its own time. started (n): when each call begins.
  double released(std::int64_t call, const std::vector<double>& started,
                  const std::vector<double>& last) const;

  Measured measured_;
  std::int64_t groups_ = 0;
  std::vector<std::uint32_t> order_;  // 2 × call, and 1 more for its end
  std::vector<std::int32_t> lane_;    // of each call
  std::vector<double> own_;           // the time of a call after it was released [s]
};

}  // namespace phasewise::schedule
