#include "comm/communicator.hpp"

#include <mpi.h>

#include <cstdlib>
#include <stdexcept>

namespace phasewise::comm {
namespace {

bool we_started_mpi = false;

constexpr std::size_t piece = std::size_t{1} << 30;  // bytes of a message: MPI counts are int

void finalise_at_exit() {
  int finalised = 0;
  MPI_Finalized(&finalised);
  if (we_started_mpi && !finalised) MPI_Finalize();
}

// Adds the time from its making to its end, and what was sent, to a phase.
class Timed {
 public:
  Timed(Recorder& recorder, const std::string& phase, std::int64_t messages, std::int64_t bytes)
      : recorder_(recorder),
        phase_(phase),
        messages_(messages),
        bytes_(bytes),
        start_(MPI_Wtime()) {}
  ~Timed() { recorder_.add(phase_, messages_, bytes_, MPI_Wtime() - start_); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Recorder& recorder_;
  const std::string& phase_;
  std::int64_t messages_, bytes_;
  double start_;
};

std::int64_t bytes_of(std::size_t doubles) { return static_cast<std::int64_t>(doubles) * 8; }

std::vector<int> displacements(const std::vector<int>& counts) {
  std::vector<int> result(counts.size(), 0);
  for (std::size_t r = 1; r < counts.size(); ++r) result[r] = result[r - 1] + counts[r - 1];
  return result;
}

}  // namespace

struct Communicator::Handle {
  explicit Handle(MPI_Comm comm) : comm(comm) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (!finalised) MPI_Comm_free(&comm);
  }

  MPI_Comm comm;
};

void initialise() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised) return;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  if (provided < MPI_THREAD_FUNNELED)
    throw std::runtime_error("the MPI library does not support threads (MPI_THREAD_FUNNELED)");
  we_started_mpi = true;
  std::atexit(finalise_at_exit);
}

void abort_all(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::_Exit(status);
}

std::string library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return {text, static_cast<std::size_t>(length)};
}

std::string built_with_version() {
#if defined(OPEN_MPI)
  return "Open MPI v" + std::to_string(OMPI_MAJOR_VERSION) + "." +
         std::to_string(OMPI_MINOR_VERSION) + "." + std::to_string(OMPI_RELEASE_VERSION);
#elif defined(MPICH_VERSION)
  return "MPICH Version: " MPICH_VERSION;
#else
  return "";
#endif
}

Communicator::Communicator(std::unique_ptr<Handle> handle, Recorder& recorder)
    : handle_(std::move(handle)), recorder_(&recorder) {
  MPI_Comm_rank(handle_->comm, &rank_);
  MPI_Comm_size(handle_->comm, &size_);
}

Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&&) noexcept = default;
Communicator& Communicator::operator=(Communicator&&) noexcept = default;

Communicator Communicator::world(Recorder& recorder) {
  initialise();
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);  // so that no message of anybody else's can be taken for ours
  return {std::make_unique<Handle>(all), recorder};
}

Communicator Communicator::split(int color) const {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(handle_->comm, color, rank_, &part);
  return {std::make_unique<Handle>(part), *recorder_};
}

void Communicator::barrier() const { MPI_Barrier(handle_->comm); }

void Communicator::sum(const std::string& phase, std::span<double> values) const {
  if (size_ == 1) return;
  const Timed timed(*recorder_, phase, 1, bytes_of(values.size()));
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_SUM,
                handle_->comm);
}

void Communicator::sum(const std::string& phase, std::span<std::int64_t> values) const {
  if (size_ == 1) return;
  const Timed timed(*recorder_, phase, 1, bytes_of(values.size()));
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, MPI_SUM,
                handle_->comm);
}

void Communicator::max(const std::string& phase, std::span<double> values) const {
  if (size_ == 1) return;
  const Timed timed(*recorder_, phase, 1, bytes_of(values.size()));
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                handle_->comm);
}

void Communicator::reduce_scatter(const std::string& phase, std::span<double> values,
                                  const std::vector<int>& counts) const {
  if (size_ == 1) return;
  const Timed timed(*recorder_, phase, 1, bytes_of(values.size()));
  MPI_Reduce_scatter(MPI_IN_PLACE, values.data(), counts.data(), MPI_DOUBLE, MPI_SUM,
                     handle_->comm);
}

void Communicator::all_gather(const std::string& phase, std::span<double> values,
                              const std::vector<int>& counts) const {
  if (size_ == 1) return;
  const Timed timed(*recorder_, phase, 1, bytes_of(counts[rank_]));
  const std::vector<int> places = displacements(counts);
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, values.data(), counts.data(), places.data(),
                 MPI_DOUBLE, handle_->comm);
}

void Communicator::exchange(const std::string& phase, const std::vector<Message>& sends,
                            const std::vector<Message>& receives) const {
  std::int64_t bytes = 0;
  for (const Message& send : sends) bytes += 8 * send.count;
  const Timed timed(*recorder_, phase, static_cast<std::int64_t>(sends.size()), bytes);
  std::vector<MPI_Request> requests;
  requests.reserve(sends.size() + receives.size());
  for (const Message& m : receives)
    MPI_Irecv(m.data, static_cast<int>(m.count), MPI_DOUBLE, m.peer, 0, handle_->comm,
              &requests.emplace_back());
  for (const Message& m : sends)
    MPI_Isend(m.data, static_cast<int>(m.count), MPI_DOUBLE, m.peer, 0, handle_->comm,
              &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

std::vector<std::vector<std::byte>> Communicator::gather(const std::string& phase,
                                                         std::span<const std::byte> mine) const {
  const Timed timed(*recorder_, phase, rank_ == 0 ? 0 : 1, rank_ == 0 ? 0 : std::ssize(mine));
  if (rank_ != 0) {
    std::uint64_t size = mine.size();
    MPI_Send(&size, 1, MPI_UINT64_T, 0, 1, handle_->comm);
    for (std::size_t at = 0; at < size; at += piece)
      MPI_Send(mine.data() + at, static_cast<int>(std::min<std::size_t>(piece, size - at)),
               MPI_BYTE, 0, 2, handle_->comm);
    return {};
  }
  std::vector<std::vector<std::byte>> all(size_);
  all[0].assign(mine.begin(), mine.end());
  for (int r = 1; r < size_; ++r) {
    std::uint64_t size = 0;
    MPI_Recv(&size, 1, MPI_UINT64_T, r, 1, handle_->comm, MPI_STATUS_IGNORE);
    all[r].resize(size);
    for (std::size_t at = 0; at < size; at += piece)
      MPI_Recv(all[r].data() + at, static_cast<int>(std::min<std::size_t>(piece, size - at)),
               MPI_BYTE, r, 2, handle_->comm, MPI_STATUS_IGNORE);
  }
  return all;
}

std::vector<std::byte> Communicator::broadcast(const std::string& phase,
                                               std::span<const std::byte> mine) const {
  std::uint64_t size = mine.size();
  std::vector<std::byte> values(mine.begin(), mine.end());
  if (size_ == 1) return values;
  const Timed timed(*recorder_, phase, 1, rank_ == 0 ? std::ssize(mine) : 0);
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, handle_->comm);
  values.resize(size);
  for (std::size_t at = 0; at < size; at += piece)
    MPI_Bcast(values.data() + at, static_cast<int>(std::min<std::size_t>(piece, size - at)),
              MPI_BYTE, 0, handle_->comm);
  return values;
}

}  // namespace phasewise::comm
