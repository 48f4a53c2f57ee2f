// The times of queued work, which are known only after it is done.
#pragma once

#include <vector>

namespace phasewise::parallel {

class Stopwatch {
 public:
  Stopwatch() = default;
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;
  virtual ~Stopwatch() = default;

  // Marks the end of what has been queued so far. Returns the mark's number, from 0.
  virtual int mark() = 0;
  // The times at which the queue reached each mark [s, by clock()]. Waits for them, and forgets the
  // marks.
  virtual std::vector<double> read() = 0;
};

}  // namespace phasewise::parallel
