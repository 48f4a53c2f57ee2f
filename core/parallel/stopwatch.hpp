// The times of work that is queued, which are known only after it is done.
#pragma once

#include <vector>

namespace phasewise::parallel {

class Stopwatch {
 public:
  Stopwatch() = default;
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  virtual ~Stopwatch() = default;

  // Marks the end of what was queued so far. Returns the mark's number, from 0.
  virtual int mark() = 0;
  // When the queue reached each mark [s, by clock()]. Waits, and forgets the marks.
  virtual std::vector<double> read() = 0;
};

}  // namespace phasewise::parallel
