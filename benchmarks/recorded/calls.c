// CPU time of calls that wait for nobody: each rank calls on a communicator of its own.
//
//     mpiexec -n 1 calls
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { calls = 20000, passes = 25 };

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void barrier(void) { MPI_Barrier(MPI_COMM_SELF); }

static void exchange(void) {
  char from[8] = "message", to[8];
  MPI_Request requests[2];
  MPI_Irecv(to, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[0]);
  MPI_Isend(from, 8, MPI_CHAR, 0, 0, MPI_COMM_SELF, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

// Prints the nanoseconds of the fastest pass, each.
static void time_of(const char* name, void (*call)(void)) {
  double least = 1e9;
  for (int pass = 0; pass < passes; ++pass) {
    const double start = cpu_seconds();
    for (int k = 0; k < calls; ++k) call();
    const double each = (cpu_seconds() - start) / calls;
    if (each < least) least = each;
  }
  printf("%s %.1f\n", name, 1e9 * least);
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  time_of("barrier", barrier);
  time_of("exchange", exchange);
  MPI_Finalize();
  return 0;
}
