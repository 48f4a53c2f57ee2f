// Posts all receives, then all sends.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
namespace {

class IrecvIsend : public TwoSided {
 public:
  using TwoSided::TwoSided;
  bool blocks() const override { return false; }
  Pending post(const RoundMessages& m) override {
    return group_.post(m.phase, channel_, m.sends, m.receives);
  }
};

}  // namespace

CarrierPointer make_irecv_isend(const RoundPlace& place) {
  return std::make_unique<IrecvIsend>(place);
}

}  // namespace phasewise::comm
