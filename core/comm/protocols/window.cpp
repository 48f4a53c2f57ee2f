#include "comm/protocols/window.hpp"

#include "comm/message_buffer.hpp"
#include "comm/protocols/signals.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::comm {
std::vector<Link> links_of(const RoundPlace& place,
                           const std::vector<exchange::Transfer>& transfers) {
  const exchange::Exchange& exchange = *place.exchange;
  std::vector<Link> links;
  std::vector<int> peers;
  for (const exchange::Transfer& t : transfers)
    if (const std::int64_t bytes = exchange.message_bytes(t); bytes > 0) {
      links.push_back({exchange.team->ranks[t.peer], 0, bytes});
      peers.push_back(links.back().peer);
    }
  const std::vector<int> here = ranks_in(place.group, peers);
  for (std::size_t i = 0; i < links.size(); ++i) links[i].peer_here = here[i];
  return links;
}

HalvedWindow::HalvedWindow(const RoundPlace& place, const std::vector<Link>& mine,
                           const std::vector<Link>& theirs) {
  for (const Link& link : mine) {
    mine_.push_back(size_);
    size_ += parallel::whole_lines(link.bytes);
  }
  const auto bytes = static_cast<MPI_Aint>(2 * size_);
  if (simulated()) {
    memory_ = static_cast<std::byte*>(
        allocate_message_buffer(std::max<MPI_Aint>(bytes, parallel::cache_line)));
    MPI_Win_create(memory_, bytes, 1, MPI_INFO_NULL, Inside::comm(place.group), &window_);
  } else {
    void* base = nullptr;
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, Inside::comm(place.group), &base, &window_);
    memory_ = static_cast<std::byte*>(base);
  }
  std::vector<There> places;
  places.reserve(mine_.size());
  for (const std::int64_t at : mine_) places.push_back({at, size_});
  theirs_ = told(place.group, places, mine, theirs);
}

HalvedWindow::~HalvedWindow() {
  if (!mpi_has_ended()) MPI_Win_free(&window_);
  if (simulated()) free_message_buffer(memory_);
}

#if defined(SMPI_H)
void HalvedWindow::sync() const {}  // SimGrid 3.32 has no MPI_Win_sync
#else
void HalvedWindow::sync() const { MPI_Win_sync(window_); }
#endif

void put(const Posting& posting, const Message& message, int peer_here, MPI_Aint at,
         MPI_Win window) {
  charge_overhead(posting.overhead(), 1);
  const auto [count, type] = posting.count(message);
  MPI_Put(message.data, count, type, peer_here, at, count, type, window);
}

void get(const Posting& posting, const Message& message, int peer_here, MPI_Aint at,
         MPI_Win window) {
  charge_overhead(exchange::Overhead::one_sided, 1);
  const auto [count, type] = posting.count(message);
  MPI_Get(message.data, count, type, peer_here, at, count, type, window);
}

}  // namespace phasewise::comm
