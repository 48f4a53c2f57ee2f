#include "comm/persistent.hpp"

#include <algorithm>
#include <vector>

#include "comm/posted.hpp"

namespace phasewise::comm {

struct PersistentMessages::Requests {
  Recorder& recorder;
  std::shared_ptr<const World> world;
  Channel channel;
  std::vector<Message> sends, receives;
  std::vector<MPI_Request> all;  // receives first

  ~Requests() {
    int finalised = 0;
    MPI_Finalized(&finalised);
    if (finalised) return;
    for (MPI_Request& request : all) MPI_Request_free(&request);
  }
};

PersistentMessages::PersistentMessages(const Communicator& all, Channel channel,
                                       std::span<const Message> sends,
                                       std::span<const Message> receives)
    : requests_(new Requests{all.recorder(),
                             all.handle_->world,
                             channel,
                             {sends.begin(), sends.end()},
                             {receives.begin(), receives.end()},
                             {}}) {
  const MPI_Comm comm = requests_->world->channel[static_cast<int>(channel)].get();
  for (const Message& m : receives) {
    const auto [count, type] = mpi_count(m, Recorder::latest_phase());
    MPI_Recv_init(m.data, count, type, m.peer, 0, comm, &requests_->all.emplace_back());
  }
  for (const Message& m : sends) {
    const auto [count, type] = mpi_count(m, Recorder::latest_phase());
    MPI_Send_init(m.data, count, type, m.peer, 0, comm, &requests_->all.emplace_back());
  }
}

PersistentMessages::~PersistentMessages() = default;
PersistentMessages::PersistentMessages(PersistentMessages&&) noexcept = default;
PersistentMessages& PersistentMessages::operator=(PersistentMessages&&) noexcept = default;

bool PersistentMessages::are(std::span<const Message> sends,
                             std::span<const Message> receives) const {
  return std::ranges::equal(sends, requests_->sends) &&
         std::ranges::equal(receives, requests_->receives);
}

Pending PersistentMessages::start(const PhaseKey& key) const {
  Requests& requests = *requests_;
  Recorder& recorder = requests.recorder;
  const int phase = key.in(recorder);
  const double start = now(recorder);
  std::unique_ptr<Pending::Posted> posted(
      new Pending::Posted{recorder, requests.world->clock, phase, requests.channel, start, false});
  for (const Message& m : requests.receives) posted->record_receive(m);
  for (const Message& m : requests.sends) posted->record_send(m);
  // A persistent request keeps its handle, so that a copy of it can be waited for.
  if (!requests.all.empty())
    MPI_Startall(static_cast<int>(requests.all.size()), requests.all.data());
  posted->requests = requests.all;
  posted->left = posted->requests.size();
  recorder.communicated(phase, start, now(recorder));
  return posted->left == 0 ? Pending() : Pending(std::move(posted));
}

}  // namespace phasewise::comm
