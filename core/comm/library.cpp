// The library's own collectives.
#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>

#include "comm/handle.hpp"

namespace phasewise::comm {
namespace {

constexpr std::size_t piece = std::size_t{1} << 30;  // bytes of a message: MPI counts are int

std::int64_t bytes_of(std::size_t values) { return static_cast<std::int64_t>(values) * 8; }

int checked(std::int64_t count) {
  if (count <= largest_count) return static_cast<int>(count);
  throw std::length_error("a collective of " + std::to_string(count) +
                          " values is longer than MPI can count (" + std::to_string(largest_count) +
                          "); take a smaller grid, more ranks, or aggregate = false");
}

std::vector<int> displacements(const std::vector<int>& counts) {
  checked(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  std::vector<int> result(counts.size(), 0);
  for (std::size_t r = 1; r < counts.size(); ++r) result[r] = result[r - 1] + counts[r - 1];
  return result;
}

// The blocks of one side of a transpose, as MPI is told of them: each a type of its own at so many
// bytes from the first.
class BlockTypes {
 public:
  explicit BlockTypes(std::span<const ComplexBlock> blocks) {
    base_ = std::min_element(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) {
              return std::less<>()(a.data, b.data);
            })->data;
    for (const ComplexBlock& block : blocks) add(block);
  }
  ~BlockTypes() {
    for (MPI_Datatype& type : types_) MPI_Type_free(&type);
  }
  BlockTypes(const BlockTypes&) = delete;
  BlockTypes& operator=(const BlockTypes&) = delete;

  std::complex<double>* base() const { return base_; }
  const int* counts() const { return counts_.data(); }
  const int* places() const { return places_.data(); }
  const MPI_Datatype* types() const { return types_.data(); }

 private:
  void add(const ComplexBlock& block) {
    const bool empty = block.rows == 0 || block.columns == 0;
    counts_.push_back(empty ? 0 : 1);
    places_.push_back(empty ? 0 : checked(16 * (block.data - base_)));
    constexpr MPI_Aint size = 16;  // of a complex value [B]
    MPI_Datatype value = MPI_DATATYPE_NULL, row = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(2, MPI_DOUBLE, &value);
    MPI_Type_create_hvector(checked(block.columns), 1, size * block.column_stride, value, &row);
    MPI_Type_create_hvector(checked(block.rows), 1, size * block.row_stride, row,
                            &types_.emplace_back());
    MPI_Type_commit(&types_.back());
    MPI_Type_free(&value);
    MPI_Type_free(&row);
  }
  std::complex<double>* base_;
  std::vector<int> counts_, places_;
  std::vector<MPI_Datatype> types_;
};

}  // namespace

void Communicator::sum(const PhaseKey& phase, std::span<double> values) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, bytes_of(values.size()));
  MPI_Allreduce(MPI_IN_PLACE, values.data(), checked(std::ssize(values)), MPI_DOUBLE, MPI_SUM,
                handle_->get());
}

void Communicator::sum(const PhaseKey& phase, std::span<std::int64_t> values) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, bytes_of(values.size()));
  MPI_Allreduce(MPI_IN_PLACE, values.data(), checked(std::ssize(values)), MPI_INT64_T, MPI_SUM,
                handle_->get());
}

void Communicator::max(const PhaseKey& phase, std::span<double> values) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, bytes_of(values.size()));
  MPI_Allreduce(MPI_IN_PLACE, values.data(), checked(std::ssize(values)), MPI_DOUBLE, MPI_MAX,
                handle_->get());
}

void Communicator::reduce_scatter(const PhaseKey& phase, std::span<double> values,
                                  const std::vector<int>& counts) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, bytes_of(values.size()));
  checked(std::ssize(values));
  MPI_Reduce_scatter(MPI_IN_PLACE, values.data(), counts.data(), MPI_DOUBLE, MPI_SUM,
                     handle_->get());
}

void Communicator::all_gather(const PhaseKey& phase, std::span<double> values,
                              const std::vector<int>& counts) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, bytes_of(counts[rank_]));
  const std::vector<int> places = displacements(counts);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values.data(), counts.data(), places.data(),
                 MPI_DOUBLE, handle_->get());
}

void Communicator::gather_and_broadcast(const PhaseKey& phase, std::span<double> values,
                                        const std::vector<int>& counts) const {
  if (size_ == 1) return;
  const LibraryCall call(*recorder_, phase, bytes_of(counts[rank_]));
  const std::vector<int> places = displacements(counts);
  const void* mine = rank_ == 0 ? MPI_IN_PLACE : values.data() + places[rank_];
  MPI_Gatherv(mine, counts[rank_], MPI_DOUBLE, values.data(), counts.data(), places.data(),
              MPI_DOUBLE, 0, handle_->get());
  MPI_Bcast(values.data(), places.back() + counts.back(), MPI_DOUBLE, 0, handle_->get());
}

void Communicator::transpose(const PhaseKey& phase, std::span<const ComplexBlock> sends,
                             std::span<const ComplexBlock> receives) const {
  std::int64_t bytes = 0;
  for (int r = 0; r < size_; ++r) bytes += r == rank_ ? 0 : 16 * sends[r].rows * sends[r].columns;
  const LibraryCall call(*recorder_, phase, bytes);
  const BlockTypes out(sends), in(receives);
  MPI_Alltoallw(out.base(), out.counts(), out.places(), out.types(), in.base(), in.counts(),
                in.places(), in.types(), handle_->get());
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
