// Jacobi's iteration for a rod that is cut into equal pieces, in which one rank works three times
// as long as the others.
//
//     mpiexec -n 4 ./stencil [STEPS]
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 20000, SLOW_RANK = 2 };

static void swap_halo(double* cells, int rank, int ranks) {
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  MPI_Request requests[4];
  MPI_Status statuses[4];
  MPI_Irecv(&cells[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&cells[CELLS + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&cells[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&cells[CELLS], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, statuses);
}

static double iterate(double* cells, double* next) {
  double change = 0;
  for (int k = 1; k <= CELLS; ++k) {
    next[k] = 0.5 * (cells[k - 1] + cells[k + 1]);
    change += (next[k] - cells[k]) * (next[k] - cells[k]);
  }
  memcpy(cells + 1, next + 1, CELLS * sizeof(double));
  return change;
}

int main(int count, char** arguments) {
  int rank, ranks;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = count > 1 ? atoi(arguments[1]) : 1000;
  double* cells = calloc(CELLS + 2, sizeof(double));
  double* next = calloc(CELLS + 2, sizeof(double));
  if (rank == 0) cells[0] = 1.0;
  for (int step = 0; step < steps; ++step) {
    swap_halo(cells, rank, ranks);
    double change = 0;
    for (int turn = 0; turn < (rank == SLOW_RANK ? 3 : 1); ++turn) change = iterate(cells, next);
    if (step % 10 == 9)
      MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  free(cells);
  free(next);
  MPI_Finalize();
  return 0;
}
