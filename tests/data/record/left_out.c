// Two kinds of persistent collectives where the library has them, and what a replay leaves out:
// files, one-sided calls, collectives between groups, a send to nobody's receive; and a collective
// among neighbours.
#include <mpi.h>
#include <stdlib.h>

static void persistent(MPI_Comm comm) {
#if MPI_VERSION >= 4
  double in[10] = {0}, out[10] = {0};
  MPI_Request requests[2];
  MPI_Allreduce_init(out, in, 10, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(out, 10, MPI_DOUBLE, 1, comm, MPI_INFO_NULL, &requests[1]);
  for (int k = 0; k < 3; ++k) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Start(&requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  for (int k = 0; k < 2; ++k) MPI_Request_free(&requests[k]);
#endif
}

static void neighbours(int ranks) {
  int periods[1] = {1}, dims[1] = {ranks}, out[2] = {0}, in[2];
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 0, &ring);
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
}

static void groups(int me) {
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 1, &both);
  MPI_Barrier(both);
}

static void window(int me, int ranks) {
  int *base, given = me;
  MPI_Win made;
  MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &made);
  MPI_Win_fence(0, made);
  MPI_Put(&given, 1, MPI_INT, (me + 1) % ranks, 0, 1, MPI_INT, made);
  MPI_Win_fence(0, made);
  MPI_Win_free(&made);
}

int main(int count, char** words) {
  int me, ranks, value = 0;
  MPI_File file;
  MPI_Request never;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  persistent(MPI_COMM_WORLD);
  neighbours(ranks);
  groups(me);
  window(me, ranks);
  MPI_File_open(MPI_COMM_SELF, words[1], MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  MPI_File_close(&file);
  if (me == 0) MPI_Isend(&value, 1, MPI_INT, 1, 99, MPI_COMM_WORLD, &never);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
