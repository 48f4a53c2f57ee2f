#include "comm/recorder.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "parallel/clock.hpp"

namespace phasewise::comm {
namespace {

// The shortest text that reads back as this value, and as a floating-point number; null for NaN.
std::string number(double value) {
  if (std::isnan(value)) return "null";
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  std::string result(text, end);
  if (result.find_first_of(".e") == std::string::npos) result += ".0";
  return result;
}

std::string number(std::int64_t value) { return std::to_string(value); }

std::string sent_to_json(const TrafficByPeer& sent_to) {
  std::vector<TrafficByPeer::PeerTraffic> entries = sent_to.entries();
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.peer < b.peer; });
  std::string text = "{";
  for (const auto& [peer, traffic] : entries) {
    if (text.size() > 1) text += ", ";
    text += '"' + std::to_string(peer) + "\": [" + number(traffic.messages) + ", " +
            number(traffic.bytes) + ']';
  }
  return text + '}';
}

std::string phase_json(const PhaseRecord& r) {
  return "{\"calls\": " + number(r.calls) + ", \"messages\": " + number(r.messages) +
         ", \"bytes\": " + number(r.bytes) +
         ", \"synchronisations\": " + number(r.synchronisations) +
         ", \"computing\": " + number(r.computing) +
         ", \"communicating\": " + number(r.communicating) + ", \"waiting\": " + number(r.waiting) +
         ", \"library\": " + (r.library ? "true" : "false") +
         ", \"sent_to\": " + sent_to_json(r.sent_to) + '}';
}

}  // namespace

void TrafficByPeer::meet(int peer) {
  if (std::ssize(place_) <= peer) place_.resize(peer + 1, 0);
  entries_.push_back({peer, {}});
  place_[peer] = static_cast<std::int32_t>(entries_.size());
}

std::int32_t Recorder::next_number(Numbers& numbers, int channel, int peer) {
  if (std::ssize(numbers) <= channel) numbers.resize(channel + 1);
  std::vector<std::int32_t>& by_peer = numbers[channel];
  if (std::ssize(by_peer) <= peer) by_peer.resize(peer + 1, 0);
  return by_peer[peer]++;
}

int Recorder::phase(std::string_view name) {
  if (const auto found = index_->find(name); found != index_->end()) return found->second;
  if (names_.size() > static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max()))
    throw std::length_error("more phases than an event can number");
  const int index = static_cast<int>(names_.size());
  names_.push_back(prefix_ + std::string(name));
  records_.emplace_back();
  index_->emplace(name, index);
  return index;
}

void Recorder::computed(int phase, double start, double end) {
  if (!recording_) return;
  records_[phase].computing += end - start;
  if (keeps_events())
    add_event({start, end, 0, -1, 0, static_cast<std::int16_t>(phase), EventKind::compute, 0});
}

void Recorder::signalled(int phase, int peer) {
  if (!recording_) return;
  ++records_[phase].messages;
  ++records_[phase].synchronisations;
  ++records_[phase].sent_to.of(peer).messages;
}

void Recorder::synchronised(int phase, std::int64_t count) {
  if (recording_) records_[phase].synchronisations += count;
}

void Recorder::asked(int phase, std::int64_t bytes) {
  if (!recording_) return;
  PhaseRecord& record = records_[phase];
  ++record.messages;
  record.bytes += bytes;
  record.library = true;
}

void Recorder::add_event(const Event& event) {
  if (events_.size() < capacity_)
    events_.push_back(event);
  else
    ++dropped_;
}

const std::string& Recorder::current() const {
  static const std::string none;
  return current_ < 0 ? none : names_[current_];
}

namespace {

std::string names_json(const std::vector<std::string>& names) {
  std::string text = "[";
  for (const std::string& name : names) text += (text.size() > 1 ? ", \"" : "\"") + name + '"';
  return text + ']';
}

std::string colours_json(const std::vector<std::pair<std::string, std::string>>& colours) {
  std::string text = "{";
  for (const auto& [name, colour] : colours)
    text += (text.size() > 1 ? ", \"" : "\"") + name + "\": \"" + colour + '"';
  return text + '}';
}

}  // namespace

std::string Recorder::to_json(const RankFacts& facts) const {
  std::string text = "{\"rank\": " + std::to_string(facts.rank) +
                     ", \"node\": " + std::to_string(facts.node) + ", \"place\": [";
  for (std::size_t i = 0; i < facts.place.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(facts.place[i]);
  text += "], \"seconds\": " + number(facts.seconds) +
          ", \"clock_offset\": " + number(facts.clock_offset) +
          ", \"dropped_events\": " + number(dropped_) +
          ", \"events\": " + std::to_string(events_.size()) + ", \"names\": " + names_json(names_) +
          ", \"main\": " + names_json(facts.main) +
          ", \"colours\": " + colours_json(facts.colours) + ", \"pieces\": {";
  for (std::size_t i = 0; i < facts.pieces.size(); ++i)
    text +=
        (i > 0 ? ", \"" : "\"") + facts.pieces[i].first + "\": " + number(facts.pieces[i].second);
  text += "}, \"phases\": {";
  for (std::size_t i = 0; i < names_.size(); ++i)
    text += (i > 0 ? ", \"" : "\"") + names_[i] + "\": " + phase_json(records_[i]);
  return text + "}}";
}

}  // namespace phasewise::comm
