// Four threads of each rank exchange messages with the same thread of the next rank at once.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#define THREADS 4
#define TURNS 200

static int rank, ranks;
static MPI_Comm own[THREADS];
static pthread_barrier_t all_done;  // so that no thread begins after another has ended

static void* exchange(void* given) {
  const int thread = (int)(intptr_t)given;
  double out = thread, in;
  MPI_Request requests[2];
  for (int turn = 0; turn < TURNS; ++turn) {
    const int tag = turn * (thread + 1);
    MPI_Irecv(&in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, tag, own[thread], &requests[0]);
    MPI_Isend(&out, 1, MPI_DOUBLE, (rank + 1) % ranks, tag, own[thread], &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  pthread_barrier_wait(&all_done);
  return NULL;
}

int main(int count, char** arguments) {
  int provided;
  pthread_t threads[THREADS];
  MPI_Init_thread(&count, &arguments, MPI_THREAD_MULTIPLE, &provided);
  if (provided != MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 77);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int k = 0; k < THREADS; ++k) MPI_Comm_dup(MPI_COMM_WORLD, &own[k]);
  pthread_barrier_init(&all_done, NULL, THREADS);
  for (int k = 0; k < THREADS; ++k) pthread_create(&threads[k], NULL, exchange, (void*)(intptr_t)k);
  for (int k = 0; k < THREADS; ++k) pthread_join(threads[k], NULL);
  MPI_Finalize();
  return 0;
}
