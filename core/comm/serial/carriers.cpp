// One process sends no messages: every protocol is available, and has nothing to carry.
#include "comm/carrier.hpp"

namespace phasewise::comm {
namespace {

class Idle : public Carrier {
 public:
  bool blocks() const override { return false; }
  Pending post(const RoundMessages& /*messages*/) override { return {}; }
};

}  // namespace

std::string unavailable(exchange::Protocol /*protocol*/) { return {}; }

std::unique_ptr<Carrier> make_carrier(const RoundPlace& /*place*/) {
  return std::make_unique<Idle>();
}

}  // namespace phasewise::comm
