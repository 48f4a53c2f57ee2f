// Records what each phase costs on this rank: calls, messages, bytes, the time of computing,
// communicating and waiting, the traffic with each peer, and optionally the individual events.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "parallel/clock.hpp"

namespace phasewise::comm {

struct Traffic {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};

// The traffic to each peer, in the order in which the peers were first met. A message costs two
// look-ups in arrays; memory grows with the highest peer (4 bytes per rank) and with the number of
// peers met.
class TrafficByPeer {
 public:
  struct PeerTraffic {
    int peer;
    Traffic traffic;
  };

  Traffic& of(int peer) {
    if (std::ssize(place_) <= peer || place_[peer] == 0) meet(peer);
    return entries_[place_[peer] - 1].traffic;
  }
  const std::vector<PeerTraffic>& entries() const { return entries_; }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

 private:
  void meet(int peer);
  std::vector<std::int32_t> place_;  // by peer: 1 + index of its entry, 0 if it has none
  std::vector<PeerTraffic> entries_;
};

struct PhaseRecord {
  std::int64_t calls = 0;
  std::int64_t messages = 0;          // sent; a library collective counts as one
  std::int64_t bytes = 0;             // sent; for a library collective the volume requested
  std::int64_t synchronisations = 0;  // flags, handshakes, fences; see Signals
  double computing = 0.0;             // s, in kernels of this name and in packing and adding for it
  double communicating = 0.0;         // s, waiting included
  double waiting = 0.0;               // s, until a late partner had begun to send; NaN: unknown
  bool library = false;               // whether the library sends messages that are not seen here
  TrafficByPeer sent_to;              // by rank among all
};

enum class EventKind : std::uint8_t { compute, phase, send, receive };

// One event of the time line; its 40 bytes are written to the file as they are.
struct Event {
  double start, end;  // s, this rank's clock
  std::int64_t bytes;
  std::int32_t peer;    // rank among all, -1 for none
  std::int32_t number;  // of a send or receive: earlier messages of the pair on this channel
  std::int16_t phase;   // index among the names
  EventKind kind;
  std::uint8_t channel;
  std::int32_t unused = 0;
};
static_assert(sizeof(Event) == 40);

// What the record of a rank states besides its phases (docs/communication.md).
struct RankFacts {
  int rank = 0;
  int node = 0;
  std::vector<int> place{};  // coordinates in the workload's process grid
  // How often the data-dependent pieces of a turn occurred, by name.
  std::vector<std::pair<std::string, double>> pieces{};
  // The names of the workload's main phases, in the order of the plan, and the colours of phases,
  // by name, whether or not this rank has entered these phases.
  std::vector<std::string> main{};
  std::vector<std::pair<std::string, std::string>> colours{};
  double seconds = 0.0;       // duration of the turns
  double clock_offset = 0.0;  // s, to add to this rank's times to get rank 0's
};

// A phase's index, and the prefix under which it was looked up.
struct KnownPhase {
  const void* under = nullptr;
  int index = -1;
};

class Recorder {
 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() {
    if (latest_ == this) latest_ = nullptr;
  }

  // Whether anything is counted and timed; switched off only to measure the cost of recording.
  void set_recording(bool on) { recording_ = on; }
  bool recording() const { return recording_; }
  // The time [s] if recording is on; otherwise 0, without reading the clock.
  double now() const { return recording_ ? parallel::clock().now() : 0.0; }

  // The index of a phase's name, stable from its first use on.
  int phase(std::string_view name);
  // The same, without a search if the name is known.
  int phase(std::string_view name, KnownPhase& known) {
    if (known.under != index_) known = {index_, phase(name)};
    return known.index;
  }
  // Names get this prefix from now on; a part of a composite has a prefix of its own.
  void set_prefix(const std::string& prefix) { index_ = &indices_[prefix], prefix_ = prefix; }
  const std::string& prefix() const { return prefix_; }
  const std::vector<std::string>& names() const { return names_; }
  const PhaseRecord& record(int phase) const { return records_[phase]; }

  // Events beyond `capacity` are counted and dropped; 0 keeps none. All ranks call it before
  // the first message, so that both ends of a message number it alike.
  void keep_events(std::size_t capacity) { capacity_ = capacity; }
  bool keeps_events() const { return capacity_ > 0; }

  void computed(int phase, double start, double end);
  // Adds time spent inside the phase's communication.
  void communicated(int phase, double start, double end) {
    if (recording_) records_[phase].communicating += end - start;
  }
  void waited(int phase, double seconds) { records_[phase].waiting += seconds; }
  // Counts a message that is sent. Returns how many went to this peer on this channel before (0 if
  // no events are kept). Its event is added when the message is complete.
  std::int32_t sent(int phase, int channel, int peer, std::int64_t bytes) {
    if (!recording_) return 0;
    PhaseRecord& record = records_[phase];
    ++record.messages;
    record.bytes += bytes;
    Traffic& traffic = record.sent_to.of(peer);
    ++traffic.messages;
    traffic.bytes += bytes;
    return keeps_events() ? next_number(sent_numbers_, channel, peer) : 0;
  }
  // Counts a flag or a handshake that is sent as an empty message. It has no event.
  void signalled(int phase, int peer);
  // Counts synchronisations that are no messages.
  void synchronised(int phase, std::int64_t count);
  // Counts a message that is expected. Returns how many were expected from this peer on this
  // channel before.
  std::int32_t expected(int channel, int peer) {
    return keeps_events() ? next_number(expected_numbers_, channel, peer) : 0;
  }
  // Counts a library collective by the bytes that it was asked to move.
  void asked(int phase, std::int64_t bytes);
  void add_event(const Event& event);

  // The phase that this rank is in, for the error message of a rank that fails; empty outside of
  // phases.
  const std::string& current() const;
  // current() of the recorder that entered a phase last.
  static std::string latest_phase() { return latest_ ? latest_->current() : std::string(); }
  // A phase that this rank has entered.
  struct Entered {
    int phase;
    int before;    // the phase that it was in, or -1
    double start;  // s
  };
  // Enters a phase: one call of it, and one event of the time line. Entering the phase that this
  // rank is already in changes nothing. `again` continues a call that was counted before, as an
  // overlapped exchange does.
  Entered enter(int phase, bool again = false) {
    const Entered entered{phase, current_, keeps_events() ? parallel::clock().now() : 0.0};
    latest_ = this;
    if (phase == current_) return entered;
    current_ = phase;
    if (!again) ++records_[phase].calls;
    return entered;
  }
  // A rank that fails never leaves its phase, so that the report of the failure can name it.
  void leave(const Entered& entered) {
    if (entered.phase == entered.before) return;
    current_ = entered.before;
    if (keeps_events())
      add_event({entered.start, parallel::clock().now(), 0, -1, 0,
                 static_cast<std::int16_t>(entered.phase), EventKind::phase, 0});
  }

  // One JSON object in one line, without events (docs/communication.md). Its numbers read back
  // exactly.
  std::string to_json(const RankFacts& facts) const;
  const std::vector<Event>& events() const { return events_; }
  std::int64_t dropped_events() const { return dropped_; }

 private:
  // Counts by channel and peer.
  using Numbers = std::vector<std::vector<std::int32_t>>;
  // Returns the count so far and adds one to it.
  static std::int32_t next_number(Numbers& numbers, int channel, int peer);

  std::vector<std::string> names_;
  std::vector<PhaseRecord> records_;
  using Index = std::map<std::string, int, std::less<>>;
  std::map<std::string, Index> indices_;  // of the names, for each prefix
  Index* index_ = &indices_[""];
  std::string prefix_;
  std::vector<Event> events_;
  Numbers sent_numbers_, expected_numbers_;
  std::size_t capacity_ = 0;
  std::int64_t dropped_ = 0;
  int current_ = -1;
  bool recording_ = true;
  inline static const Recorder* latest_ = nullptr;
};

// Keeps this rank in a phase while it lives, or until an exception ends it.
class InPhase {
 public:
  InPhase(Recorder& recorder, int phase, bool again = false)
      : recorder_(recorder),
        entered_(recorder.enter(phase, again)),
        exceptions_(std::uncaught_exceptions()) {}
  ~InPhase() {
    if (std::uncaught_exceptions() == exceptions_) recorder_.leave(entered_);
  }
  InPhase(const InPhase&) = delete;
  InPhase& operator=(const InPhase&) = delete;

 private:
  Recorder& recorder_;
  Recorder::Entered entered_;
  int exceptions_;
};

}  // namespace phasewise::comm
