// What each communication phase cost on this rank: calls, messages, bytes, seconds.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace phasewise::comm {

struct PhaseRecord {
  std::int64_t calls = 0;
  std::int64_t messages = 0;  // point-to-point messages sent; a library collective counts as one
  std::int64_t bytes = 0;     // sent; for a library collective the volume handed to it
  double seconds = 0.0;
};

class Recorder {
 public:
  void add(const std::string& phase, std::int64_t messages, std::int64_t bytes, double seconds) {
    PhaseRecord& record = phases_[phase];
    ++record.calls;
    record.messages += messages;
    record.bytes += bytes;
    record.seconds += seconds;
  }
  const std::map<std::string, PhaseRecord>& phases() const { return phases_; }

 private:
  std::map<std::string, PhaseRecord> phases_;
};

}  // namespace phasewise::comm
