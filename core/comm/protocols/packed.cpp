// The library packs the data into messages and unpacks them (MPI_Pack).
#include "comm/in_place.hpp"
#include "comm/protocols/carriers.hpp"
#include "comm/protocols/two_sided.hpp"
#include "comm/protocols/types.hpp"
#include "parallel/buffer.hpp"

namespace phasewise::comm {
namespace {

class Packed : public TwoSided {
 public:
  explicit Packed(const RoundPlace& place) : TwoSided(place), types_(place) {}

  Pending post(const RoundMessages& messages) override {
    Posting posting = begin(messages);
    types_.prepare(messages);
    const auto& [phase, sends, receives, from, to] = messages;
    const std::vector<int> out = sizes(types_.sends()), in = sizes(types_.receives());
    out_.reserve(sum(out));
    in_.reserve(sum(in));
    std::vector<MPI_Request> arriving(receives.size()), leaving(sends.size());
    std::byte* at = in_.data();
    for (std::size_t i = 0; i < receives.size(); at += in[i], ++i)
      MPI_Irecv(at, in[i], MPI_PACKED, receives[i].peer, MPI_ANY_TAG, posting.comm(), &arriving[i]);
    at = out_.data();
    for (std::size_t i = 0; i < sends.size(); at += out[i], ++i) {
      int size = 0;
      MPI_Pack(sends[i].data, 1, types_.sends()[i].get(), at, out[i], &size, posting.comm());
      charge(sends[i].bytes);
      charge_overhead(Overhead::two_sided, 1);
      MPI_Isend(at, size, MPI_PACKED, sends[i].peer, posting.tag(), posting.comm(), &leaving[i]);
    }
    wait_for_receives(posting, arriving);
    at = in_.data();
    for (std::size_t i = 0; i < receives.size(); at += in[i], ++i) {
      int place = 0;
      MPI_Unpack(at, in[i], &place, receives[i].data, 1, types_.receives()[i].get(),
                 posting.comm());
      charge(receives[i].bytes);
    }
    wait_for_all(leaving);
    posting.finished();
    return {};
  }

 private:
  static void charge(std::int64_t bytes) {
    parallel::clock().charge(0.0, static_cast<double>(packed_traffic(bytes)));
  }
  std::vector<int> sizes(const std::vector<OwnedType>& types) const {
    std::vector<int> result;
    for (const OwnedType& type : types)
      MPI_Pack_size(1, type.get(), Inside::comm(group_), &result.emplace_back());
    return result;
  }
  static std::int64_t sum(const std::vector<int>& sizes) {
    std::int64_t all = 0;
    for (const int size : sizes) all += size;
    return all;
  }

  RoundTypes types_;
  parallel::Buffer<std::byte> out_, in_;
};

}  // namespace

CarrierPointer make_packed(const RoundPlace& place) { return std::make_unique<Packed>(place); }

}  // namespace phasewise::comm
