// The library's own collectives.
#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "comm/mpi/handle.hpp"

namespace phasewise::comm {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30;  // bytes per message, since MPI counts are int

std::int64_t bytes_of(std::size_t values) { return static_cast<std::int64_t>(values) * 8; }

// Consecutive parts of a buffer with the int counts that MPI takes.
struct Parts {
  std::vector<int> counts, places;
  MPI_Datatype type;

  explicit Parts(std::span<const std::int64_t> sizes) {
    const bool doubles = std::all_of(sizes.begin(), sizes.end(), [](auto s) { return s % 8 == 0; });
    type = doubles ? MPI_DOUBLE : MPI_BYTE;
    std::int64_t place = 0;
    for (const std::int64_t size : sizes) {
      counts.push_back(mpi_int(doubles ? size / 8 : size));
      places.push_back(mpi_int(place));
      place += counts.back();
    }
    all = mpi_int(place);
  }
  int all;
};

// The regions of one side of a transpose as MPI takes them, with a data type for each.
class RegionTypes {
 public:
  explicit RegionTypes(std::span<const exchange::Region> regions) {
    for (const exchange::Region& region : regions) add(region);
  }
  ~RegionTypes() {
    for (MPI_Datatype& type : types_) MPI_Type_free(&type);
  }
  RegionTypes(const RegionTypes&) = delete;
  RegionTypes& operator=(const RegionTypes&) = delete;

  const int* counts() const { return counts_.data(); }
  const int* places() const { return places_.data(); }
  const MPI_Datatype* types() const { return types_.data(); }

 private:
  void add(const exchange::Region& region) {
    const bool empty = region.bytes() == 0;
    counts_.push_back(empty ? 0 : 1);
    places_.push_back(empty ? 0 : mpi_int(region.offset));
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(mpi_int(region.run), MPI_BYTE, &type);
    const std::size_t levels = region.repeats ? region.repeats->size() : 0;
    for (std::size_t level = levels; level > 0; --level) {
      const exchange::Repeat& repeat = (*region.repeats)[level - 1];
      MPI_Datatype inner = type;
      MPI_Type_create_hvector(mpi_int(repeat.count), 1, repeat.stride, inner, &type);
      MPI_Type_free(&inner);
    }
    MPI_Type_commit(&type);
    types_.push_back(type);
  }
  std::vector<int> counts_, places_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace

void Communicator::sum(const PhaseKey& phase, std::span<double> values) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, bytes_of(values.size()));
  MPI_Allreduce(MPI_IN_PLACE, values.data(), mpi_int(std::ssize(values)), MPI_DOUBLE, MPI_SUM,
                handle_->get());
}

void Communicator::sum(const PhaseKey& phase, std::span<std::int64_t> values) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, bytes_of(values.size()));
  MPI_Allreduce(MPI_IN_PLACE, values.data(), mpi_int(std::ssize(values)), MPI_INT64_T, MPI_SUM,
                handle_->get());
}

void Communicator::max(const PhaseKey& phase, std::span<double> values) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, bytes_of(values.size()));
  MPI_Allreduce(MPI_IN_PLACE, values.data(), mpi_int(std::ssize(values)), MPI_DOUBLE, MPI_MAX,
                handle_->get());
}

void Communicator::reduce_scatter(const PhaseKey& phase, std::span<double> values,
                                  std::span<const std::int64_t> sizes) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, bytes_of(values.size()));
  const Parts parts(sizes);
  MPI_Reduce_scatter(MPI_IN_PLACE, values.data(), parts.counts.data(), MPI_DOUBLE, MPI_SUM,
                     handle_->get());
}

void Communicator::all_gather(const PhaseKey& phase, std::span<std::byte> bytes,
                              std::span<const std::int64_t> sizes) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, sizes[rank_]);
  const Parts parts(sizes);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, bytes.data(), parts.counts.data(),
                 parts.places.data(), parts.type, handle_->get());
}

void Communicator::gather_and_broadcast(const PhaseKey& phase, std::span<std::byte> bytes,
                                        std::span<const std::int64_t> sizes) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, sizes[rank_]);
  const Parts parts(sizes);
  const std::int64_t before =
      std::accumulate(sizes.begin(), sizes.begin() + rank_, std::int64_t{0});
  const void* mine = rank_ == 0 ? MPI_IN_PLACE : bytes.data() + before;
  MPI_Gatherv(mine, parts.counts[rank_], parts.type, bytes.data(), parts.counts.data(),
              parts.places.data(), parts.type, 0, handle_->get());
  MPI_Bcast(bytes.data(), parts.all, parts.type, 0, handle_->get());
}

void Communicator::transpose(const PhaseKey& phase, const std::byte* from,
                             std::span<const exchange::Region> sends, std::byte* to,
                             std::span<const exchange::Region> receives) const {
  std::int64_t asked = 0;
  for (int r = 0; r < size_; ++r) asked += r == rank_ ? 0 : sends[r].bytes();
  const LibraryCall call(*recorder_, phase, asked);
  const RegionTypes out(sends), in(receives);
  MPI_Alltoallw(from, out.counts(), out.places(), out.types(), to, in.counts(), in.places(),
                in.types(), handle_->get());
}

std::vector<std::vector<std::byte>> Communicator::gather(const PhaseKey& phase,
                                                         std::span<const std::byte> mine) const {
  const LibraryCall call(*recorder_, phase, rank_ == 0 ? 0 : std::ssize(mine));
  if (rank_ != 0) {
    std::uint64_t size = mine.size();
    MPI_Send(&size, 1, MPI_UINT64_T, 0, 1, handle_->get());
    for (std::size_t at = 0; at < size; at += piece)
      MPI_Send(mine.data() + at, static_cast<int>(std::min<std::size_t>(piece, size - at)),
               MPI_BYTE, 0, 2, handle_->get());
    return {};
  }
  std::vector<std::vector<std::byte>> all(size_);
  all[0].assign(mine.begin(), mine.end());
  for (int r = 1; r < size_; ++r) {
    std::uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, r, 1, handle_->get(), MPI_STATUS_IGNORE);
    all[r].resize(size);
    for (std::size_t at = 0; at < size; at += piece)
      MPI_Recv(all[r].data() + at, static_cast<int>(std::min<std::size_t>(piece, size - at)),
               MPI_BYTE, r, 2, handle_->get(), MPI_STATUS_IGNORE);
  }
  return all;
}

std::vector<std::byte> Communicator::broadcast(const PhaseKey& phase,
                                               std::span<const std::byte> mine) const {
  std::uint64_t size = mine.size();
  std::vector<std::byte> values(mine.begin(), mine.end());
  if (size_ == 1) return values;
  const LibraryCall call(*recorder_, phase, rank_ == 0 ? std::ssize(mine) : 0);
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, handle_->get());
  values.resize(size);
  for (std::size_t at = 0; at < size; at += piece)
    MPI_Bcast(values.data() + at, static_cast<int>(std::min<std::size_t>(piece, size - at)),
              MPI_BYTE, 0, handle_->get());
  return values;
}

}  // namespace phasewise::comm
