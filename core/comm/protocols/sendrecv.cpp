// Sends the i-th message together with receiving the i-th one, by MPI_Sendrecv.
#include <algorithm>

#include "comm/protocols/carriers.hpp"
#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
namespace {

class Sendrecv : public TwoSided {
 public:
  using TwoSided::TwoSided;

  // Messages without a partner are sent or received at the end.
  Pending post(const RoundMessages& messages) override {
    const auto& [phase, sends, receives, from, to] = messages;
    const std::size_t pairs = std::min(sends.size(), receives.size());
    for (std::size_t i = 0; i < pairs; ++i) exchange(phase, sends[i], receives[i]);
    return group_.post(phase, channel_, sends.subspan(pairs), receives.subspan(pairs));
  }

 private:
  void exchange(int phase, const Message& out, const Message& in) const {
    Posting posting(group_, phase, channel_, Overhead::two_sided, true);
    posting.expect(in);
    posting.give(out);
    const auto [out_count, out_type] = posting.count(out);
    const auto [in_count, in_type] = posting.count(in);
    charge_overhead(Overhead::two_sided, 1);
    MPI_Status status;
    MPI_Sendrecv(out.data, out_count, out_type, out.peer, posting.tag(), in.data, in_count, in_type,
                 in.peer, MPI_ANY_TAG, posting.comm(), &status);
    posting.received(status);
    posting.finished();
  }
};

}  // namespace

CarrierPointer make_sendrecv(const RoundPlace& place) { return std::make_unique<Sendrecv>(place); }

}  // namespace phasewise::comm
