// Like irecv_isend, but a send ends only when its receive has begun (MPI_Issend).
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
namespace {

class Synchronous : public TwoSided {
 public:
  using TwoSided::TwoSided;
  bool blocks() const override { return false; }

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    for (const Message& m : messages.receives) start_receive(posting, m, posting.request());
    for (const Message& m : messages.sends) {
      charge_overhead(Overhead::two_sided, 1);
      const auto [count, type] = posting.count(m);
      MPI_Issend(m.data, count, type, m.peer, posting.tag(), posting.comm(), posting.request());
    }
    return posting.under_way();
  }
};

}  // namespace

CarrierPointer make_synchronous(const RoundPlace& place) {
  return std::make_unique<Synchronous>(place);
}

}  // namespace phasewise::comm
