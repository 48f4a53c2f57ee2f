// Rank 1 begins a barrier, never waits for it, and only then sends what rank 0 waits for before it
// begins the barrier too.
#include <mpi.h>

int main(int count, char** words) {
  int me;
  MPI_Request request;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (me == 0) {
    MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
