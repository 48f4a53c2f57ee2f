// OpenSHMEM and Fortran co-arrays: a rank puts its data into symmetric memory, which every rank
// has, and sets a flag after them; the sender's time lies beside the flag.
#include <algorithm>
#include <array>
#include <optional>

#include "comm/protocols/carriers.hpp"
#include "comm/protocols/symmetric_memory.hpp"
#include "comm/protocols/window.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::comm {
namespace {

constexpr std::int64_t no_flag = -1;

bool has(const std::vector<Link>& links, int peer) {
  return std::ranges::any_of(links, [&](const Link& link) { return link.peer == peer; });
}

// Where the receiver of a message expects it.
struct Target {
  std::int64_t place;  // in the first half [B]
  std::int64_t flag;   // set when the data have come
};

// The memory has two halves that are used in turn. A rank that sends something back says by its
// next flag that it has unpacked the preceding exchange; a rank that does not sets a flag only for
// that.
class Symmetric : public Carrier {
 public:
  explicit Symmetric(const RoundPlace& place)
      : group_(place.group),
        channel_(place.exchange->channel),
        overhead_(overhead_of(place.exchange->protocol)),
        flags_set_(signals_of(*place.exchange, place.messages()).synchronisations),
        sends_(links_of(place, place.messages().sends)),
        receives_(links_of(place, place.messages().receives)) {
    std::int64_t end = 0, flags = 0;
    for (const Link& link : receives_) {
      here_.push_back({end, flags++});
      end += parallel::whole_lines(link.bytes);
    }
    for (const Link& link : sends_)
      unpacked_there_.push_back(has(receives_, link.peer) ? no_flag : flags++);
    there_ = told(group_, here_, receives_, sends_);
    unpacked_here_ = told(group_, unpacked_there_, sends_, receives_);

    std::array<std::int64_t, 2> most{end, flags};
    group_.agree(most);
    half_ = most[0];
    if (half_ > 0) memory_.emplace(place.exchange->protocol, 2 * half_, most[1]);
  }

  bool gives_memory() const override { return true; }
  std::byte* incoming(std::size_t i) override { return memory_->at(place_of(here_[i])); }
  bool blocks() const override { return true; }

  Pending post(const RoundMessages& messages) override {
    Posting posting(group_, messages.phase, channel_, overhead_, true);
    posting.record(messages.sends, messages.receives);
    const double time = posting.start() + group_.clock_offset();
    for (std::size_t i = 0; i < receives_.size(); ++i)
      if (unpacked_here_[i] != no_flag)
        memory_->raise(receives_[i].peer, unpacked_here_[i], count_, time);
    for (std::size_t i = 0; i < sends_.size(); ++i) put(messages.sends[i], i);
    for (std::size_t i = 0; i < sends_.size(); ++i)
      memory_->raise(sends_[i].peer, there_[i].flag, count_, time);
    for (const Target& here : here_)
      posting.begun(memory_->await(here.flag, count_) - group_.clock_offset());
    group_.recorder().synchronised(messages.phase, flags_set_);
    ++count_;
    posting.finished();
    return {};
  }

 private:
  std::int64_t place_of(const Target& target) const { return target.place + (count_ % 2) * half_; }
  // Waits until the message before the last one has been unpacked.
  void put(const Message& message, std::size_t i) const {
    if (unpacked_there_[i] != no_flag) memory_->await(unpacked_there_[i], count_ - 1);
    memory_->put(message.peer, place_of(there_[i]), message.data, message.bytes);
  }

  const Communicator& group_;
  exchange::Channel channel_;
  exchange::Overhead overhead_;
  std::int64_t flags_set_;  // per round
  std::vector<Link> sends_, receives_;
  std::vector<Target> here_, there_;                          // of received and of sent messages
  std::vector<std::int64_t> unpacked_here_, unpacked_there_;  // flags
  std::int64_t half_ = 0;                                     // bytes of half the memory
  std::optional<SymmetricMemory> memory_;                     // none if no rank sends anything
  std::int64_t count_ = 1;                                    // number of this round, from 1
};

}  // namespace

CarrierPointer make_symmetric(const RoundPlace& place) {
  return std::make_unique<Symmetric>(place);
}

}  // namespace phasewise::comm
