// What the MPI library says about a GPU's memory.
#include <mpi.h>

// SimGrid's mpi.h names neither library.
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include "comm/communicator.hpp"

namespace phasewise::comm {

bool library_takes_gpu_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  return MPIX_Query_cuda_support() == 1;
#elif defined(MPIX_GPU_SUPPORT_CUDA)
  int taken = 0;
  return MPIX_GPU_query_support(MPIX_GPU_SUPPORT_CUDA, &taken) == MPI_SUCCESS && taken != 0;
#else
  return false;
#endif
}

}  // namespace phasewise::comm
