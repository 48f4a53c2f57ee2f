// Posts receives, then sends with blocking calls.
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {
namespace {

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

}  // namespace

CarrierPointer make_irecv_send(const RoundPlace& place) {
  return std::make_unique<IrecvSend>(place);
}

}  // namespace phasewise::comm
