// Messages with the library's vector types, sent and received in place.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/types.hpp"

namespace phasewise::comm {
namespace {

class Derived : public Carrier {
 public:
  explicit Derived(const RoundPlace& place)
      : group_(place.group), channel_(place.exchange->channel), types_(place) {}
  bool blocks() const override { return false; }

  Pending post(const RoundMessages& messages) override {
    Posting posting(group_, messages.phase, channel_, Overhead::derived, true);
    types_.prepare(messages);
    posting.record(messages.sends, messages.receives);
    const auto& [phase, sends, receives, from, to] = messages;
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const auto [count, type] = types_.receive(posting, messages, i);
      MPI_Irecv(receives[i].data, count, type, receives[i].peer, MPI_ANY_TAG, posting.comm(),
                posting.request());
    }
    charge_overhead(Overhead::derived, sends.size());
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const auto [count, type] = types_.send(posting, messages, i);
      MPI_Isend(sends[i].data, count, type, sends[i].peer, posting.tag(), posting.comm(),
                posting.request());
    }
    return posting.under_way();
  }

 private:
  const Communicator& group_;
  Channel channel_;
  RoundTypes types_;
};

}  // namespace

CarrierPointer make_derived(const RoundPlace& place) { return std::make_unique<Derived>(place); }

}  // namespace phasewise::comm
