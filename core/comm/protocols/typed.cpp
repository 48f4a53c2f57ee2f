// Messages whose data the library gathers from the buffers by its data types.
#include <numeric>

#include "comm/protocols/carriers.hpp"
#include "comm/protocols/two_sided.hpp"
#include "comm/protocols/types.hpp"
#include "exchange/in_place.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::comm {
namespace {

// Messages with the library's vector types, sent and received in place.
class Derived : public Carrier {
 public:
  explicit Derived(const RoundPlace& place)
      : group_(place.group), channel_(place.exchange->channel), types_(place) {}
  bool blocks() const override { return false; }

  Pending post(const RoundMessages& messages) override {
    Posting posting(group_, messages.phase, channel_, exchange::Overhead::derived, true);
    types_.prepare(messages);
    posting.record(messages.sends, messages.receives);
    const auto& [phase, sends, receives, from, to] = messages;
    for (std::size_t i = 0; i < receives.size(); ++i) {
      const auto [count, type] = types_.receive(posting, messages, i);
      MPI_Irecv(receives[i].data, count, type, receives[i].peer, MPI_ANY_TAG, posting.comm(),
                posting.request());
    }
    charge_overhead(exchange::Overhead::derived, sends.size());
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const auto [count, type] = types_.send(posting, messages, i);
      MPI_Isend(sends[i].data, count, type, sends[i].peer, posting.tag(), posting.comm(),
                posting.request());
    }
    return posting.under_way();
  }

 private:
  const Communicator& group_;
  exchange::Channel channel_;
  RoundTypes types_;
};

// The library packs the data into messages and unpacks them (MPI_Pack).
class Packed : public TwoSided {
 public:
  explicit Packed(const RoundPlace& place) : TwoSided(place), types_(place) {}

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    types_.prepare(messages);
    const auto& [phase, sends, receives, from, to] = messages;
    const bool contents = to.data != nullptr;
    const std::vector<int> out = sizes(sends, types_.sends(), contents);
    const std::vector<int> in = sizes(receives, types_.receives(), contents);
    if (contents) out_.reserve(std::accumulate(out.begin(), out.end(), std::int64_t{0}));
    if (contents) in_.reserve(std::accumulate(in.begin(), in.end(), std::int64_t{0}));
    std::vector<MPI_Request> arriving(receives.size()), leaving(sends.size());
    std::int64_t at = 0;
    for (std::size_t i = 0; i < receives.size(); at += in[i], ++i)
      MPI_Irecv(contents ? in_.data() + at : receives[i].data, in[i], MPI_PACKED, receives[i].peer,
                MPI_ANY_TAG, posting.comm(), &arriving[i]);
    at = 0;
    for (std::size_t i = 0; i < sends.size(); at += out[i], ++i) {
      int size = contents ? 0 : out[i];
      std::byte* message = contents ? out_.data() + at : sends[i].data;
      if (contents)
        MPI_Pack(sends[i].data, 1, types_.sends()[i].get(), message, out[i], &size, posting.comm());
      charge(sends[i].bytes);
      charge_overhead(exchange::Overhead::two_sided, 1);
      MPI_Isend(message, size, MPI_PACKED, sends[i].peer, posting.tag(), posting.comm(),
                &leaving[i]);
    }
    wait_for_receives(posting, arriving);
    at = 0;
    for (std::size_t i = 0; i < receives.size(); at += in[i], ++i) {
      int place = 0;
      if (contents)
        MPI_Unpack(in_.data() + at, in[i], &place, receives[i].data, 1, types_.receives()[i].get(),
                   posting.comm());
      charge(receives[i].bytes);
    }
    wait_for_all(leaving);
    posting.finished();
    return {};
  }

 private:
  static void charge(std::int64_t bytes) {
    parallel::clock().charge(0.0, static_cast<double>(exchange::packed_traffic(bytes)));
  }
  // The bytes that the packed messages need. Without contents SimGrid packs nothing, but would
  // count the gaps between the data, until the number overflows.
  std::vector<int> sizes(std::span<const Message> messages, const std::vector<OwnedType>& types,
                         bool contents) const {
    std::vector<int> result;
    for (std::size_t i = 0; i < messages.size(); ++i)
      if (contents && !simulated())
        MPI_Pack_size(1, types[i].get(), Inside::comm(group_), &result.emplace_back());
      else
        result.push_back(static_cast<int>(messages[i].bytes));
    return result;
  }

  RoundTypes types_;
  parallel::Buffer<std::byte> out_, in_;
};

}  // namespace

CarrierPointer make_derived(const RoundPlace& place) { return std::make_unique<Derived>(place); }

CarrierPointer make_packed(const RoundPlace& place) { return std::make_unique<Packed>(place); }

}  // namespace phasewise::comm
