// What parallel programs do, on any number of ranks: halos of a stencil, transposes of a transform,
// and the sums of a solver. Between the messages each rank works on its own data.
//
//     mpiexec -n 2 exchanges stencil|transform|solver SIZE STEPS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

// A step over n values, each several times: some microseconds for a thousand.
static double work(double* values, int n) {
  double sum = 0;
  for (int pass = 0; pass < 4; ++pass)
    for (int k = 1; k < n; ++k) {
      values[k] = 0.5 * values[k] + 0.25 * values[k - 1] + 1.0;
      sum += values[k];
    }
  return sum;
}

static void stencil(double* values, double* halo, int n) {
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks, face = n / 8;
  MPI_Request requests[4];
  MPI_Irecv(halo, face, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(halo + face, face, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(values + n - face, face, MPI_DOUBLE, next, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(values, face, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  values[0] = work(values, n) + halo[0] + halo[2 * face - 1];
}

static void transform(double* values, double* halo, int n) {
  values[0] = work(values, n);
  MPI_Alltoall(values, n / ranks, MPI_DOUBLE, halo, n / ranks, MPI_DOUBLE, MPI_COMM_WORLD);
  memcpy(values, halo, (size_t)(n / ranks * ranks) * sizeof(double));
}

static void solver(double* values, double* halo, int n) {
  double sums[2] = {work(values, n), values[n - 1]};
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Sendrecv(values, 64, MPI_DOUBLE, (rank + 1) % ranks, 0, halo, 64, MPI_DOUBLE,
               (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  values[0] = 1.0 / (1.0 + sums[0]) + halo[0];
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count != 4) {
    if (rank == 0) fprintf(stderr, "give stencil, transform or solver, a size, and steps\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int n = atoi(arguments[2]), steps = atoi(arguments[3]);
  void (*step)(double*, double*, int) = arguments[1][1] == 't'   ? stencil
                                        : arguments[1][0] == 't' ? transform
                                                                 : solver;
  double* values = calloc((size_t)n, sizeof(double));
  double* halo = calloc((size_t)n, sizeof(double));
  for (int k = 0; k < steps; ++k) step(values, halo, n);
  free(values);
  free(halo);
  MPI_Finalize();
  return 0;
}
