// One message out and one in by a single call of the library.
#include <algorithm>

#include "comm/posted.hpp"

namespace phasewise::comm {

void Communicator::send_receive(const PhaseKey& key, Channel channel, const Message& out,
                                const Message& in) const {
  const World& world = *handle_->world;
  const int phase = key.in(*recorder_);
  const InPhase in_phase(*recorder_, phase);
  const double start = now(*recorder_);
  Pending::Posted posted{*recorder_, world.clock, phase, channel, start, true};
  const auto [out_count, out_type] = mpi_count(out, recorder_->names()[phase]);
  const auto [in_count, in_type] = mpi_count(in, recorder_->names()[phase]);
  posted.record_receive(in);
  posted.record_send(out);
  posted.left = 2;
  MPI_Status status;
  MPI_Sendrecv(out.data, out_count, out_type, out.peer, world.clock.tag(start), in.data, in_count,
               in_type, in.peer, MPI_ANY_TAG, world.channel[static_cast<int>(channel)].get(),
               &status);
  const double end = now(*recorder_);
  for (const std::size_t i : {0, 1}) posted.complete(i, end);
  recorder_->communicated(phase, start, end);
  recorder_->waited(phase, std::clamp(posted.begun_after(0, status, start), 0.0, end - start));
}

}  // namespace phasewise::comm
