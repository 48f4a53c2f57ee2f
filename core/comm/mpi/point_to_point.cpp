// Messages between two ranks: those that are posted, waited for, and recorded one by one, and those
// that only measure the machine.
#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "comm/mpi/posted.hpp"

namespace phasewise::comm {

void too_long(const Message& message, const std::string& phase) {
  const bool doubles = message.bytes % 8 == 0;
  throw std::length_error("phase " + phase + ": a message of " +
                          std::to_string(doubles ? message.bytes / 8 : message.bytes) +
                          (doubles ? " values" : " bytes") + " with rank " +
                          std::to_string(message.peer) + " is longer than MPI can count (" +
                          std::to_string(largest_count) +
                          "); use more ranks, or settings of the study that send less at once");
}

Pending::PostedPointer Pending::Posted::take(const World& world) {
  if (world.idle.empty()) {
    PostedPointer made(new Posted);
    made->world = &world;
    return made;
  }
  PostedPointer taken(world.idle.back().release());
  world.idle.pop_back();
  taken->receives = 0;
  taken->requests.clear();
  taken->ends.clear();
  return taken;
}

void Pending::GiveBack::operator()(Posted* posted) const {
  posted->world->idle.emplace_back(posted);
}

void Pending::Posted::record_receive(const Message& message) {
  ++receives;
  if (recorder->keeps_events())
    ends.push_back(
        {message.peer, recorder->expected(static_cast<int>(channel), message.peer), message.bytes});
}

void Pending::Posted::record_send(const Message& message) {
  const std::int32_t number =
      recorder->sent(phase, static_cast<int>(channel), message.peer, message.bytes);
  if (recorder->keeps_events()) ends.push_back({message.peer, number, message.bytes});
}

void Pending::Posted::record_end(std::size_t i, double end) {
  if (ends.empty()) return;
  recorder->add_event(
      {start, end, ends[i].bytes, ends[i].peer, ends[i].number, static_cast<std::int16_t>(phase),
       i < receives ? EventKind::receive : EventKind::send, static_cast<std::uint8_t>(channel)});
}

double Pending::Posted::begun_after(std::size_t i, const MPI_Status& status, double from) const {
  return timed && i < receives && status.MPI_TAG >= 0 ? world->clock.after(status.MPI_TAG, from)
                                                      : 0.0;
}

double Pending::Posted::wait_for_all(double from) {
  left = 0;
  if (!timed || !recorder->recording()) {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    return 0.0;
  }
  statuses.resize(requests.size());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  double late = 0.0;
  for (std::size_t i = 0; i < receives; ++i)
    late = std::max(late, begun_after(i, statuses[i], from));
  return late;
}

double Pending::Posted::wait_one_by_one(double from) {
  double late = 0.0;
  for (; left > 0; --left) {
    int i = 0;
    MPI_Status status;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &i, &status);
    late = std::max(late, begun_after(i, status, from));
    record_end(i, parallel::clock().now());
  }
  return late;
}

// If a wait directly follows the posting, the time in between is shorter on a real machine than a
// tick of the tags' clock, but reading the clock is not.
double Pending::Posted::resumed() {
  if (std::exchange(new_here, false)) return posted_at;
  return recorder->now();
}

bool Pending::test() {
  if (done()) return true;
  const double start = posted_->resumed();
  int count = 0;
  std::vector<int>& which = posted_->which;
  which.resize(posted_->requests.size());
  MPI_Testsome(static_cast<int>(which.size()), posted_->requests.data(), &count, which.data(),
               MPI_STATUSES_IGNORE);
  const double end = posted_->recorder->now();
  for (int i = 0; i < count; ++i) posted_->record_end(which[i], end);
  // A negative count means that no request is active.
  posted_->left -= static_cast<std::size_t>(std::max(count, 0));
  posted_->recorder->communicated(posted_->phase, start, end);
  if (posted_->left == 0) {
    posted_->all_done();
    posted_.reset();
  }
  return done();
}

void Pending::wait_for_messages() {
  Posted& posted = *posted_;
  const double start = posted.resumed();
  const double late =
      posted.ends.empty() ? posted.wait_for_all(start) : posted.wait_one_by_one(start);
  posted.all_done();
  const double end = posted.recorder->now();
  posted.recorder->communicated(posted.phase, start, end);
  posted.recorder->waited(posted.phase, std::clamp(late, 0.0, end - start));
  posted_.reset();
}

Posting::Posting(const Communicator& group, int phase, exchange::Channel channel,
                 exchange::Overhead overhead, bool timed)
    : comm_(Inside::world(group)->channel[static_cast<int>(channel)].get()),
      posted_(Pending::Posted::take(*Inside::world(group))) {
  posted_->recorder = &group.recorder();
  posted_->phase = phase;
  posted_->channel = channel;
  posted_->start = group.recorder().now();
  posted_->timed = timed;
  if (!timed) group.recorder().waited(phase, std::numeric_limits<double>::quiet_NaN());
  posted_->overhead = overhead;
}

void Posting::received(const MPI_Status& status) {
  if (posted_->timed) late_ = std::max(late_, posted_->world->clock.after(status.MPI_TAG, start()));
}

Pending Posting::under_way() {
  Pending::Posted& posted = *posted_;
  posted.left = posted.requests.size();
  posted.new_here = true;
  posted.posted_at = start();
  if (for_simulation || posted.left == 0) {
    posted.posted_at = posted.recorder->now();
    posted.recorder->communicated(posted.phase, start(), posted.posted_at);
  }
  return posted.left == 0 ? Pending() : Pending(std::move(posted_));
}

void Posting::finished() {
  Pending::Posted& posted = *posted_;
  posted.all_done();
  const double end = posted.recorder->now();
  for (std::size_t i = 0; i < posted.ends.size(); ++i) posted.record_end(i, end);
  posted.recorder->communicated(posted.phase, start(), end);
  posted.recorder->waited(posted.phase, std::clamp(late_, 0.0, end - start()));
}

Pending Communicator::post(const PhaseKey& key, exchange::Channel channel,
                           std::span<const Message> sends,
                           std::span<const Message> receives) const {
  if (sends.empty() && receives.empty()) return {};
  Posting posting(*this, key.in(*recorder_), channel, exchange::Overhead::two_sided, true);
  const MPI_Comm comm = posting.comm();
  const int tag = posting.tag();
  std::vector<MPI_Request>& requests = posting.posted().requests;
  requests.resize(receives.size() + sends.size());
  MPI_Request* request = requests.data();
  for (const Message& m : receives) {
    const auto [count, type] = posting.count(m);
    MPI_Irecv(m.data, count, type, m.peer, MPI_ANY_TAG, comm, request++);
    posting.expect(m);
  }
  charge_overhead(exchange::Overhead::two_sided, sends.size());
  for (const Message& m : sends) {
    const auto [count, type] = posting.count(m);
    MPI_Isend(m.data, count, type, m.peer, tag, comm, request++);
    posting.give(m);
  }
  return posting.under_way();
}

void Communicator::exchange(const PhaseKey& key, const std::vector<Message>& sends,
                            const std::vector<Message>& receives) const {
  const int phase = key.in(*recorder_);
  const InPhase in(*recorder_, phase);
  post(phase, exchange::common_channel, sends, receives).wait();
}

namespace {

int count_of(std::span<const std::byte> bytes) { return static_cast<int>(bytes.size()); }

int rank_or_none(int rank) { return rank < 0 ? MPI_PROC_NULL : rank; }

}  // namespace

Span Communicator::both_ways(std::span<const std::byte> out, int to, std::span<std::byte> in,
                             int from) const {
  std::array<MPI_Request, 2> requests;
  const double start = parallel::clock().now();
  MPI_Irecv(in.data(), count_of(in), MPI_BYTE, rank_or_none(from), 0, handle_->get(), &requests[0]);
  MPI_Isend(out.data(), count_of(out), MPI_BYTE, rank_or_none(to), 0, handle_->get(), &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  return {start, parallel::clock().now()};
}

Span Communicator::round_trip(std::span<std::byte> data, int peer, bool leads) const {
  const auto send = [&] {
    MPI_Send(data.data(), count_of(data), MPI_BYTE, peer, 0, handle_->get());
  };
  const double start = parallel::clock().now();
  if (leads) send();
  MPI_Recv(data.data(), count_of(data), MPI_BYTE, peer, 0, handle_->get(), MPI_STATUS_IGNORE);
  if (!leads) send();
  return {start, parallel::clock().now()};
}

}  // namespace phasewise::comm
