// Messages and collectives of every kind that a replay has, with ranks that compute differently.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static void compute(double seconds) {
  const double start = MPI_Wtime();
  while (MPI_Wtime() - start < seconds) continue;
}

int main(int count, char** words) {
  int me, ranks;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char *out = calloc(1 << 21, 1), *in = calloc(1 << 21, 1);
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  MPI_Request requests[8];
  MPI_Status status;
  compute(0.002 * (1 + me));
  // Received in another order than sent, short and long.
  MPI_Isend(out, 100, MPI_BYTE, right, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 200000, MPI_BYTE, right, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Irecv(in, 200000, MPI_BYTE, left, 2, MPI_COMM_WORLD, &requests[2]);
  MPI_Irecv(in + 300000, 100, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[3]);
  for (int k = 0, which; k < 4; ++k) MPI_Waitany(4, requests, &which, &status);
  MPI_Sendrecv(out, 3000, MPI_BYTE, right, 3, in, 3000, MPI_BYTE, left, 3, MPI_COMM_WORLD, &status);
  if (me == 0) MPI_Ssend(out, 10, MPI_BYTE, ranks - 1, 4, MPI_COMM_WORLD);
  if (me == ranks - 1) MPI_Recv(in, 10, MPI_BYTE, 0, 4, MPI_COMM_WORLD, &status);
  MPI_Isend(out, 8, MPI_BYTE, me, 5, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv(in, 8, MPI_BYTE, me, 5, MPI_COMM_WORLD, &status);
  MPI_Wait(&requests[0], &status);
  // A persistent message, started twice.
  MPI_Send_init(out, 500, MPI_BYTE, right, 6, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(in, 500, MPI_BYTE, left, 6, MPI_COMM_WORLD, &requests[1]);
  for (int k = 0; k < 2; ++k) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  // Collectives with a root that is not the first, and among some of the ranks.
  MPI_Bcast(in, 5000, MPI_BYTE, ranks - 1, MPI_COMM_WORLD);
  MPI_Reduce(out, in, 40, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
  MPI_Gather(out, 700, MPI_BYTE, in, 700, MPI_BYTE, 1, MPI_COMM_WORLD);
  MPI_Scatter(out, 900, MPI_BYTE, in, 900, MPI_BYTE, 1, MPI_COMM_WORLD);
  MPI_Allgather(out, 300, MPI_BYTE, in, 300, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Alltoall(out, 4000, MPI_BYTE, in, 4000, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Allreduce(out, in, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(out, in, 10, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  int *sizes = calloc(ranks, sizeof *sizes), *places = calloc(ranks, sizeof *places);
  for (int k = 0, place = 0; k < ranks; place += sizes[k++]) {
    sizes[k] = 64 * (k + 1);
    places[k] = place;
  }
  MPI_Gatherv(out, sizes[me], MPI_BYTE, in, sizes, places, MPI_BYTE, 2, MPI_COMM_WORLD);
  MPI_Scatterv(out, sizes, places, MPI_BYTE, in, sizes[me], MPI_BYTE, 2, MPI_COMM_WORLD);
  MPI_Allgatherv(out, sizes[me], MPI_BYTE, in, sizes, places, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Comm some;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &some);
  MPI_Allreduce(out, in, 100, MPI_DOUBLE, MPI_SUM, some);
  MPI_Bcast(in, 100, MPI_BYTE, 0, some);
  MPI_Iallreduce(out, in, 20, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
  MPI_Ibarrier(some, &requests[1]);
  // A rank alone, with more requests than there were messages at once.
  for (int k = 2; k < 8; ++k)
    MPI_Iscan(out, in + 1000 * k, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF, &requests[k]);
  compute(0.001);
  MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
