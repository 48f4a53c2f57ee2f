// Each state of waiting by itself: the named rank comes 50 ms late.
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
enum { LARGE = 1 << 20 };

static void late(int is) {
  MPI_Barrier(WORLD);
  if (is) usleep(50000);
}

int main(int count, char** arguments) {
  int rank, one = 0, sum;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(WORLD, &rank);
  char* large = calloc(LARGE, 1);
  late(rank == 0);
  if (rank == 0) MPI_Send(&one, 1, MPI_INT, 1, 0, WORLD);
  if (rank == 1) MPI_Recv(&one, 1, MPI_INT, 0, 0, WORLD, MPI_STATUS_IGNORE);  // late sender
  late(rank == 1);
  if (rank == 0) MPI_Ssend(large, LARGE, MPI_CHAR, 1, 0, WORLD);  // late receiver
  if (rank == 1) MPI_Recv(large, LARGE, MPI_CHAR, 0, 0, WORLD, MPI_STATUS_IGNORE);
  late(rank == 2);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, WORLD);  // last rank
  late(rank == 0);
  MPI_Bcast(&one, 1, MPI_INT, 0, WORLD);  // root
  late(rank == 2);
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, WORLD);  // at the root
  late(rank == 2);
  if (rank == 2) MPI_Send(&one, 1, MPI_INT, 1, 1, WORLD);
  if (rank == 1) MPI_Recv(&one, 1, MPI_INT, 2, 1, WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(&one, 1, MPI_INT, 0, 1, WORLD);
  if (rank == 0) MPI_Recv(&one, 1, MPI_INT, 1, 1, WORLD, MPI_STATUS_IGNORE);  // passed on
  late(rank == 2);
  if (rank == 2) MPI_Send(&one, 1, MPI_INT, 1, 2, WORLD);
  MPI_Status status;
  if (rank == 1) MPI_Probe(2, 2, WORLD, &status);  // probe
  if (rank == 1) MPI_Recv(&one, 1, MPI_INT, 2, 2, WORLD, MPI_STATUS_IGNORE);
  late(rank == 2);
  MPI_Request request;
  MPI_Ibarrier(WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // nonblocking
  MPI_Finalize();
  return 0;
}
