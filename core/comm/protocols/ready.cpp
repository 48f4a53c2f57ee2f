// Ready sends: a receiver posts its receives and says so by an empty message; the data are sent
// only then.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/signals.hpp"
#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
namespace {

class Ready : public TwoSided {
 public:
  explicit Ready(const RoundPlace& place) : TwoSided(place), signals_(place) {}

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    for (const Message& m : messages.receives) start_receive(posting, m, posting.request());
    signals_.exchange(posting, signals_.before());
    for (const Message& m : messages.sends) {
      charge_overhead(Overhead::two_sided, 1);
      const auto [count, type] = posting.count(m);
      MPI_Irsend(m.data, count, type, m.peer, posting.tag(), posting.comm(), posting.request());
    }
    return posting.under_way();
  }

 private:
  SignalChannel signals_;
};

}  // namespace

CarrierPointer make_ready(const RoundPlace& place) { return std::make_unique<Ready>(place); }

}  // namespace phasewise::comm
