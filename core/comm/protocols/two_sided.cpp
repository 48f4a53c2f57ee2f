#include "comm/protocols/two_sided.hpp"

namespace phasewise::comm {

void wait_for_all(std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void wait_for_receives(Posting& posting, std::vector<MPI_Request>& requests) {
  std::vector<MPI_Status> statuses(requests.size());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
  for (const MPI_Status& status : statuses) posting.received(status);
}

}  // namespace phasewise::comm
