// What each phase cost on this rank: calls, messages, bytes, time computing, communicating and
// waiting; to whom the messages went; and, where it is asked for, the single events in time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace phasewise::comm {

struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

struct PhaseRecord {
  std::int64_t calls = 0;
  std::int64_t messages = 0;  // sent; a library collective counts as one
  std::int64_t bytes = 0;     // sent; for a library collective the volume asked for
  double computing = 0.0;     // s, in kernels of this name and in packing and adding for it
  double communicating = 0.0;  // s, waiting included
  double waiting = 0.0;        // s, until a late partner had begun to send
  bool library = false;        // what the library sends inside cannot be seen
  std::map<int, Traffic> sent_to;  // by rank among all
};

enum class EventKind : std::uint8_t { compute, phase, send, receive };

// One event of the time line; 40 bytes, written as they are.
struct Event {
  double start, end;  // s, this rank's clock
  std::int64_t bytes;
  std::int32_t peer;    // rank among all, -1 for none
  std::int32_t number;  // sends and receives: how many messages of this channel the pair had before
  std::int16_t phase;   // index among the names
  EventKind kind;
  std::uint8_t channel;
  std::int32_t unused = 0;
};
static_assert(sizeof(Event) == 40);

class Recorder {
 public:
  // The index of a phase's name, stable from its first use on.
  int phase(std::string_view name);
  const std::vector<std::string>& names() const { return names_; }
  const PhaseRecord& record(int phase) const { return records_[phase]; }

  // Events beyond `capacity` are counted and dropped; 0 keeps none.
  void keep_events(std::size_t capacity);
  bool keeps_events() const { return capacity_ > 0; }

  void called(int phase) { ++records_[phase].calls; }
  void computed(int phase, double start, double end);
  // Time spent inside the phase's communication.
  void communicated(int phase, double start, double end);
  void waited(int phase, double seconds) { records_[phase].waiting += seconds; }
  void sent(int phase, int channel, int peer, std::int64_t bytes, double start, double end);
  void received(int phase, int channel, int peer, std::int64_t bytes, double start, double end);
  // A library collective: the volume asked for.
  void asked(int phase, std::int64_t bytes);

  // The phase that this rank is in, for the sentence of a rank that fails.
  const std::string& current() const { return current_; }
  void enter(int phase) { current_ = names_[phase]; }
  void leave() { current_.clear(); }

  // One JSON object of one line, without events: docs/communication.md.
  std::string to_json(int rank, int node) const;
  const std::vector<Event>& events() const { return events_; }
  std::int64_t dropped_events() const { return dropped_; }

 private:
  void add_event(const Event& event);
  std::vector<std::string> names_;
  std::vector<PhaseRecord> records_;
  std::map<std::string, int, std::less<>> index_;
  std::vector<Event> events_;
  std::map<std::pair<int, int>, std::int32_t> sent_numbers_, received_numbers_;  // channel, peer
  std::size_t capacity_ = 0;
  std::int64_t dropped_ = 0;
  std::string current_;
};

}  // namespace phasewise::comm
