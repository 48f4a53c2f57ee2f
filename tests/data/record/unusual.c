// Calls that programs may make and seldom do: null types, handles of bindings, jumps, matched
// probes.
#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>

#define WORLD MPI_COMM_WORLD

// The bindings of Fortran give the place of a variable of their own, which is gone after the call.
static MPI_Comm promised(MPI_Request* request) {
  MPI_Comm made;
  MPI_Comm_idup(WORLD, &made, request);
  MPI_Comm handle = made;
  made = MPI_COMM_NULL;
  return handle;
}

static void no_operation(int next) {
  double *memory, value = 0;
  MPI_Win window;
  MPI_Win_allocate(8, 8, MPI_INFO_NULL, WORLD, &memory, &window);
  MPI_Win_lock_all(0, window);
  MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &value, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE,
                     MPI_NO_OP, window);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
}

// Rank 0 on one side, ranks 1 and 2 on the other.
static void between_groups(int rank) {
  MPI_Comm own, both;
  MPI_Comm_split(WORLD, rank != 0, rank, &own);
  MPI_Intercomm_create(own, 0, WORLD, rank ? 0 : 1, 5, &both);
  int one = rank, all[2] = {0, 0}, counts[2] = {1, 1}, sums[2];
  if (rank == 0)
    MPI_Gather(NULL, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_ROOT, both);
  else
    MPI_Gather(&one, 1, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 0, both);
  if (rank == 0) counts[0] = 2;
  MPI_Reduce_scatter(all, sums, counts, MPI_INT, MPI_SUM, both);
  MPI_Comm_free(&both);
  MPI_Comm_free(&own);
}

static jmp_buf before;

static void jump(MPI_Comm* communicator, int* error, ...) { longjmp(before, 1); }

// A program may leave a call of MPI by its error handler; the calls after it count as before.
static void left(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_set_errhandler(WORLD, handler);
  if (!setjmp(before)) MPI_Send(NULL, 0, MPI_INT, 1000, 0, WORLD);
  MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
}

// Rank 1 receives the first of two messages last, which its probes have taken in order.
static void out_of_order(int rank) {
  int values[3] = {0, 0, 0};
  MPI_Message first, second;
  MPI_Request request;
  if (rank == 0) MPI_Send(values, 1, MPI_INT, 1, 3, WORLD);
  if (rank == 0) MPI_Send(values, 2, MPI_INT, 1, 3, WORLD);
  if (rank == 0) MPI_Send(values, 3, MPI_INT, 1, 3, WORLD);
  if (rank != 1) return;
  MPI_Mprobe(0, 3, WORLD, &first, MPI_STATUS_IGNORE);
  MPI_Mprobe(0, 3, WORLD, &second, MPI_STATUS_IGNORE);
  MPI_Recv(values, 3, MPI_INT, 0, 3, WORLD, MPI_STATUS_IGNORE);
  MPI_Imrecv(values, 2, MPI_INT, &second, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Mrecv(values, 1, MPI_INT, &first, MPI_STATUS_IGNORE);
}

int main(int count, char** arguments) {
  int rank;
  MPI_Request request;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm made = promised(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(made);
  MPI_Comm_free(&made);
  left();
  out_of_order(rank);
  no_operation((rank + 1) % 3);
  between_groups(rank);
  MPI_Finalize();
  return 0;
}
