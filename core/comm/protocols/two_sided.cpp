#include "comm/protocols/two_sided.hpp"

#include <algorithm>
#include <vector>

#include "comm/protocols/carriers.hpp"
#include "comm/protocols/signals.hpp"

namespace phasewise::comm {

void wait_for_all(std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void wait_for_receives(Posting& posting, std::vector<MPI_Request>& requests) {
  std::vector<MPI_Status> statuses(requests.size());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  for (const MPI_Status& status : statuses) posting.received(status);
}

namespace {

// Posts all receives, then all sends.
class IrecvIsend : public TwoSided {
 public:
  using TwoSided::TwoSided;
  bool blocks() const override { return false; }
  Pending post(const RoundMessages& m) override {
    return group_.post(m.phase, channel_, m.sends, m.receives);
  }
};

// Blocking calls: pairs of ranks exchange one after another, the pair with the lowest ranks first,
// and of two ranks the lower one sends first. All ranks go through their pairs in the same order,
// so that none of them waits for ever.
class Ordered : public TwoSided {
 public:
  using TwoSided::TwoSided;

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    // Sorted by peer, this rank's pairs come in the order of all pairs.
    peers_.clear();
    for (const Message& m : messages.sends) peers_.push_back(m.peer);
    for (const Message& m : messages.receives) peers_.push_back(m.peer);
    std::ranges::sort(peers_);
    peers_.erase(std::ranges::unique(peers_).begin(), peers_.end());
    for (const int peer : peers_) {
      if (me_ < peer) send_to(posting, messages, peer);
      for (const Message& m : messages.receives)
        if (m.peer == peer) receive(posting, m);
      if (me_ > peer) send_to(posting, messages, peer);
    }
    posting.finished();
    return {};
  }

 private:
  static void send_to(const Posting& posting, const RoundMessages& messages, int peer) {
    for (const Message& m : messages.sends)
      if (m.peer == peer) send(posting, m);
  }
  int me_ = rank_of_all();
  std::vector<int> peers_;
};

// Sends the i-th message together with receiving the i-th one, by MPI_Sendrecv, as far as the
// messages pair (exchange::paired).
class Sendrecv : public TwoSided {
 public:
  using TwoSided::TwoSided;

  Pending post(const RoundMessages& messages) override {
    const auto& [phase, sends, receives, from, to] = messages;
    const std::size_t pairs = exchange::paired(sends.size(), receives.size());
    for (std::size_t i = 0; i < pairs; ++i) exchange(phase, sends[i], receives[i]);
    return group_.post(phase, channel_, sends.subspan(pairs), receives.subspan(pairs));
  }

 private:
  void exchange(int phase, const Message& out, const Message& in) const {
    Posting posting(group_, phase, channel_, exchange::Overhead::two_sided, true);
    posting.expect(in);
    posting.give(out);
    const auto [out_count, out_type] = posting.count(out);
    const auto [in_count, in_type] = posting.count(in);
    charge_overhead(exchange::Overhead::two_sided, 1);
    MPI_Status status;
    MPI_Sendrecv(out.data, out_count, out_type, out.peer, posting.tag(), in.data, in_count, in_type,
                 in.peer, MPI_ANY_TAG, posting.comm(), &status);
    posting.received(status);
    posting.finished();
  }
};

// Posts sends, then receives with blocking calls.
class IsendRecv : public TwoSided {
 public:
  using TwoSided::TwoSided;

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    requests_.assign(messages.sends.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < requests_.size(); ++i)
      start_send(posting, messages.sends[i], &requests_[i]);
    for (const Message& m : messages.receives) receive(posting, m);
    wait_for_all(requests_);
    posting.finished();
    return {};
  }

 private:
  std::vector<MPI_Request> requests_;
};

// Posts receives, then sends with blocking calls.
class IrecvSend : public TwoSided {
 public:
  using TwoSided::TwoSided;

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    requests_.assign(messages.receives.size(), MPI_REQUEST_NULL);
    for (std::size_t i = 0; i < requests_.size(); ++i)
      start_receive(posting, messages.receives[i], &requests_[i]);
    for (const Message& m : messages.sends) send(posting, m);
    wait_for_receives(posting, requests_);
    posting.finished();
    return {};
  }

 private:
  std::vector<MPI_Request> requests_;
};

// Ready sends: a receiver posts its receives and says so by an empty message; the data are sent
// only then.
class Ready : public TwoSided {
 public:
  explicit Ready(const RoundPlace& place) : TwoSided(place), signals_(place) {}

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    for (const Message& m : messages.receives) start_receive(posting, m, posting.request());
    signals_.exchange(posting, signals_.before());
    for (const Message& m : messages.sends) {
      charge_overhead(exchange::Overhead::two_sided, 1);
      const auto [count, type] = posting.count(m);
      MPI_Irsend(m.data, count, type, m.peer, posting.tag(), posting.comm(), posting.request());
    }
    return posting.under_way();
  }

 private:
  SignalChannel signals_;
};

// Like irecv_isend, but a send ends only when its receive has begun (MPI_Issend).
class Synchronous : public TwoSided {
 public:
  using TwoSided::TwoSided;
  bool blocks() const override { return false; }

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    for (const Message& m : messages.receives) start_receive(posting, m, posting.request());
    for (const Message& m : messages.sends) {
      charge_overhead(exchange::Overhead::two_sided, 1);
      const auto [count, type] = posting.count(m);
      MPI_Issend(m.data, count, type, m.peer, posting.tag(), posting.comm(), posting.request());
    }
    return posting.under_way();
  }
};

}  // namespace

CarrierPointer make_irecv_isend(const RoundPlace& place) {
  return std::make_unique<IrecvIsend>(place);
}

CarrierPointer make_ordered(const RoundPlace& place) { return std::make_unique<Ordered>(place); }

CarrierPointer make_sendrecv(const RoundPlace& place) { return std::make_unique<Sendrecv>(place); }

CarrierPointer make_isend_recv(const RoundPlace& place) {
  return std::make_unique<IsendRecv>(place);
}

CarrierPointer make_irecv_send(const RoundPlace& place) {
  return std::make_unique<IrecvSend>(place);
}

CarrierPointer make_ready(const RoundPlace& place) { return std::make_unique<Ready>(place); }

CarrierPointer make_synchronous(const RoundPlace& place) {
  return std::make_unique<Synchronous>(place);
}

}  // namespace phasewise::comm
