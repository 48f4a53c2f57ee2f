// Messages between two ranks: posted, waited for, and recorded one by one.
#include <algorithm>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/handle.hpp"

namespace phasewise::comm {
namespace {

double now() { return parallel::clock().now(); }
double now(const Recorder& recorder) { return recorder.recording() ? now() : 0.0; }

int checked(std::int64_t count, int peer, const std::string& phase) {
  if (count <= largest_count) return static_cast<int>(count);
  throw std::length_error("phase " + phase + ": a message of " + std::to_string(count) +
                          " values with rank " + std::to_string(peer) +
                          " is longer than MPI can count (" + std::to_string(largest_count) +
                          "); take a smaller grid, more ranks, or aggregate = false");
}

}  // namespace

// Receives first, then sends.
struct Pending::Flight {
  struct End {
    int peer;
    std::int32_t number;
    std::int64_t bytes;
  };

  Recorder& recorder;
  const TagClock& clock;
  int phase;
  Channel channel;
  double posted;  // s
  std::size_t receives;
  std::vector<MPI_Request> requests;
  std::vector<End> ends;  // where events are kept
  std::size_t left = 0;   // not yet complete

  void complete(std::size_t i, double end) {
    --left;
    if (ends.empty()) return;
    recorder.add_event(
        {posted, end, ends[i].bytes, ends[i].peer, ends[i].number, static_cast<std::int16_t>(phase),
         i < receives ? EventKind::receive : EventKind::send, static_cast<std::uint8_t>(channel)});
  }
  // Seconds after `start` at which the sender of request i began; a request that is no receive, or
  // was complete before, has none.
  double begun_after(std::size_t i, const MPI_Status& status, double start) const {
    return i < receives && status.MPI_TAG >= 0 ? clock.after(status.MPI_TAG, start) : 0.0;
  }
  double wait_for_all(double start);
  double wait_one_by_one(double start);
};

// Both return how long after `start` the last of the senders began.
double Pending::Flight::wait_for_all(double start) {
  std::vector<MPI_Status> statuses(requests.size());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  left = 0;
  double late = 0.0;
  for (std::size_t i = 0; i < receives; ++i)
    late = std::max(late, begun_after(i, statuses[i], start));
  return late;
}

double Pending::Flight::wait_one_by_one(double start) {
  double late = 0.0;
  while (left > 0) {
    int i = 0;
    MPI_Status status;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &i, &status);
    late = std::max(late, begun_after(i, status, start));
    complete(i, now());
  }
  return late;
}

Pending::Pending() = default;
Pending::Pending(std::unique_ptr<Flight> flight) : flight_(std::move(flight)) {}
Pending::Pending(Pending&&) noexcept = default;

Pending& Pending::operator=(Pending&& other) noexcept {
  wait();
  flight_ = std::move(other.flight_);
  return *this;
}

// A rank that fails ends all ranks: it must not wait for messages that may never come.
Pending::~Pending() {
  if (std::uncaught_exceptions() == 0) wait();
}

bool Pending::test() {
  if (done()) return true;
  const double start = now(flight_->recorder);
  int count = 0;
  std::vector<int> which(flight_->requests.size());
  MPI_Testsome(static_cast<int>(which.size()), flight_->requests.data(), &count, which.data(),
               MPI_STATUSES_IGNORE);
  const double end = now(flight_->recorder);
  for (int i = 0; i < count; ++i) flight_->complete(which[i], end);
  flight_->recorder.communicated(flight_->phase, start, end);
  if (flight_->left == 0) flight_.reset();
  return done();
}

void Pending::wait() {
  if (done()) return;
  Flight& flight = *flight_;
  const double start = now(flight.recorder);
  const double late =
      flight.ends.empty() ? flight.wait_for_all(start) : flight.wait_one_by_one(start);
  const double end = now(flight.recorder);
  flight.recorder.communicated(flight.phase, start, end);
  flight.recorder.waited(flight.phase, std::clamp(late, 0.0, end - start));
  flight_.reset();
}

Pending Communicator::post(const PhaseKey& key, Channel channel, std::span<const Message> sends,
                           std::span<const Message> receives) const {
  const World& world = *handle_->world;
  const MPI_Comm comm = world.channel[static_cast<int>(channel)].get();
  const int phase = key.in(*recorder_), lane = static_cast<int>(channel);
  const double start = now(*recorder_);
  std::unique_ptr<Pending::Flight> flight(
      new Pending::Flight{*recorder_, world.clock, phase, channel, start, receives.size(), {}, {}});
  const bool keeps_events = recorder_->keeps_events();
  flight->requests.reserve(sends.size() + receives.size());
  for (const Message& m : receives) {
    MPI_Irecv(m.data, checked(m.count, m.peer, recorder_->names()[phase]), MPI_DOUBLE, m.peer,
              MPI_ANY_TAG, comm, &flight->requests.emplace_back());
    if (keeps_events)
      flight->ends.push_back({m.peer, recorder_->expected(lane, m.peer), 8 * m.count});
  }
  const int tag = world.clock.tag(start);
  for (const Message& m : sends) {
    MPI_Isend(m.data, checked(m.count, m.peer, recorder_->names()[phase]), MPI_DOUBLE, m.peer, tag,
              comm, &flight->requests.emplace_back());
    const std::int32_t number = recorder_->sent(phase, lane, m.peer, 8 * m.count);
    if (keeps_events) flight->ends.push_back({m.peer, number, 8 * m.count});
  }
  flight->left = flight->requests.size();
  recorder_->communicated(phase, start, now(*recorder_));
  return flight->left == 0 ? Pending() : Pending(std::move(flight));
}

void Communicator::exchange(const PhaseKey& key, const std::vector<Message>& sends,
                            const std::vector<Message>& receives) const {
  const int phase = key.in(*recorder_);
  const InPhase in(*recorder_, phase);
  post(phase, Channel::other, sends, receives).wait();
}

}  // namespace phasewise::comm
