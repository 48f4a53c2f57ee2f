// Calls of every group of MPI's functions; rank 0 prints the messages and bytes that were sent.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

static int rank, ranks, next, before;
static long messages, bytes;
static char out[1 << 16], in[1 << 16];

static int counted(int size) {
  ++messages;
  bytes += size;
  return size;
}

// Each blocking send, to the next rank of a ring; receives that are posted before do not block.
static void blocking(void) {
  int (*const sends[])(const void*, int, MPI_Datatype, int, int, MPI_Comm) = {MPI_Send, MPI_Bsend,
                                                                              MPI_Ssend, MPI_Rsend};
  char* buffer = malloc(1 << 16);
  MPI_Buffer_attach(buffer, 1 << 16);
  for (int k = 0; k < 4; ++k) {
    MPI_Request request;
    MPI_Irecv(in, 1000, MPI_BYTE, before, k, WORLD, &request);
    MPI_Barrier(WORLD);
    sends[k](out, counted(10 + k), MPI_BYTE, next, k, WORLD);
    MPI_Wait(&request, IGNORE);
  }
  int size;
  MPI_Buffer_detach(&buffer, &size);
  free(buffer);
  MPI_Sendrecv(out, counted(100), MPI_BYTE, next, 5, in, 200, MPI_BYTE, before, 5, WORLD, IGNORE);
  MPI_Sendrecv_replace(in, counted(100), MPI_BYTE, next, 6, before, MPI_ANY_TAG, WORLD, IGNORE);
  MPI_Sendrecv(out, 7, MPI_BYTE, MPI_PROC_NULL, 0, in, 7, MPI_BYTE, MPI_PROC_NULL, 0, WORLD,
               IGNORE);
}

static void posted(void) {
  int (*const sends[])(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*) = {
      MPI_Isend, MPI_Issend, MPI_Isend, MPI_Isend};
  MPI_Request requests[9];
  for (int k = 0; k < 4; ++k) {
    MPI_Irecv(in + 1000 * k, 1000, MPI_BYTE, MPI_ANY_SOURCE, 10 + k, WORLD, &requests[k]);
    sends[k](out, counted(20 + k), MPI_BYTE, next, 10 + k, WORLD, &requests[4 + k]);
  }
  requests[8] = MPI_REQUEST_NULL;
  int which[9], count, flag = 0;
  MPI_Waitany(9, requests, which, IGNORE);
  MPI_Waitsome(9, requests, &count, which, MPI_STATUSES_IGNORE);
  while (!flag) MPI_Testall(9, requests, &flag, MPI_STATUSES_IGNORE);

  MPI_Isend(out, counted(30), MPI_BYTE, next, 20, WORLD, &requests[0]);
  MPI_Request_free(&requests[0]);
  MPI_Recv(in, 1000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, IGNORE);
  MPI_Irecv(in, 10, MPI_BYTE, before, 999, WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], IGNORE);

  // Before all have done so, a receive from any rank could get the next message.
  MPI_Barrier(WORLD);
  MPI_Irecv(in, 1000, MPI_BYTE, before, 21, WORLD, &requests[0]);
  MPI_Isend(out, counted(31), MPI_BYTE, next, 21, WORLD, &requests[1]);
  for (int left = 2; left > 0;) {
    MPI_Testany(2, requests, which, &flag, IGNORE);
    left -= flag;
  }
}

static void persistent(void) {
  MPI_Request requests[2];
  MPI_Recv_init(in, 1000, MPI_BYTE, before, 30, WORLD, &requests[0]);
  MPI_Send_init(out, 40, MPI_BYTE, next, 30, WORLD, &requests[1]);
  for (int k = 0; k < 3; ++k) {
    counted(40);
    if (k) {
      MPI_Startall(2, requests);
    } else {
      MPI_Start(&requests[0]);
      MPI_Start(&requests[1]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  MPI_Wait(&requests[0], IGNORE);  // it is inactive
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void probed(void) {
  MPI_Request request;
  MPI_Status status;
  MPI_Message message;
  int flag = 0;
  for (int k = 0; k < 4; ++k) {
    MPI_Isend(out, counted(50 + k), MPI_BYTE, next, 40 + k, WORLD, &request);
    if (k == 0) MPI_Probe(before, 40, WORLD, &status);
    for (flag = 0; k == 1 && !flag;) MPI_Iprobe(before, 41, WORLD, &flag, &status);
    if (k < 2) MPI_Recv(in, 1000, MPI_BYTE, before, 40 + k, WORLD, IGNORE);
    if (k == 2) {
      MPI_Mprobe(MPI_ANY_SOURCE, 42, WORLD, &message, &status);
      MPI_Mrecv(in, 1000, MPI_BYTE, &message, IGNORE);
    }
    if (k == 3) {
      MPI_Request receive;
      for (flag = 0; !flag;) MPI_Improbe(before, 43, WORLD, &flag, &message, &status);
      MPI_Imrecv(in, 1000, MPI_BYTE, &message, &receive);
      MPI_Wait(&receive, IGNORE);
    }
    MPI_Wait(&request, IGNORE);
  }
}

static void collectives(MPI_Comm all) {
  int counts[64], places[64];
  double a[256] = {0}, b[256];
  for (int k = 0; k < ranks; ++k) {
    counts[k] = k + 1;
    places[k] = k * (k + 1) / 2;
  }
  MPI_Request request;
  MPI_Bcast(a, 4, MPI_DOUBLE, 0, all);
  MPI_Reduce(a, b, 4, MPI_DOUBLE, MPI_SUM, ranks - 1, all);
  MPI_Allreduce(MPI_IN_PLACE, a, 4, MPI_DOUBLE, MPI_SUM, all);
  MPI_Gather(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, 0, all);
  MPI_Scatter(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, 0, all);
  MPI_Allgather(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, all);
  MPI_Alltoall(a, 2, MPI_DOUBLE, b, 2, MPI_DOUBLE, all);
  MPI_Allgatherv(a, counts[rank], MPI_DOUBLE, b, counts, places, MPI_DOUBLE, all);
  MPI_Gatherv(a, counts[rank], MPI_DOUBLE, b, counts, places, MPI_DOUBLE, 0, all);
  MPI_Scatterv(a, counts, places, MPI_DOUBLE, b, counts[rank], MPI_DOUBLE, 0, all);
  MPI_Reduce_scatter(a, b, counts, MPI_DOUBLE, MPI_SUM, all);
  MPI_Scan(a, b, 1, MPI_DOUBLE, MPI_SUM, all);
  MPI_Iallreduce(a, b, 4, MPI_DOUBLE, MPI_SUM, all, &request);
  MPI_Wait(&request, IGNORE);
  MPI_Ibarrier(all, &request);
  MPI_Wait(&request, IGNORE);
}

static void communicators(void) {
  MPI_Comm copy, later, half, ring, both, merged;
  MPI_Request request;
  MPI_Comm_dup(WORLD, &copy);
  MPI_Comm_set_name(copy, "a copy");
  MPI_Comm_idup(WORLD, &later, &request);
  MPI_Wait(&request, IGNORE);
  MPI_Comm_split(WORLD, rank % 2, rank, &half);
  int sizes[1] = {ranks}, periodic[1] = {1};
  MPI_Cart_create(WORLD, 1, sizes, periodic, 1, &ring);
  MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 77, &both);
  MPI_Intercomm_merge(both, rank % 2, &merged);
  MPI_Comm each[] = {copy, later, ring, merged};
  for (int k = 0; k < 4; ++k) {
    int own, size;
    MPI_Comm_rank(each[k], &own);
    MPI_Comm_size(each[k], &size);
    const int to = (own + 1) % size, from = (own + size - 1) % size;
    MPI_Sendrecv(out, counted(60 + k), MPI_BYTE, to, 0, in, 1000, MPI_BYTE, from, 0, each[k],
                 IGNORE);
  }
  // Ranks of the two halves with the same place exchange, if both have it.
  int own, other;
  MPI_Comm_rank(both, &own);
  MPI_Comm_remote_size(both, &other);
  if (own < other)
    MPI_Sendrecv(out, counted(70), MPI_BYTE, own, 0, in, 1000, MPI_BYTE, own, 0, both, IGNORE);
  collectives(copy);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&both);
  MPI_Comm_free(&ring);
  MPI_Comm_free(&half);
  MPI_Comm_free(&later);
  MPI_Comm_free(&copy);
}

static void one_sided(void) {
  MPI_Win window;
  double *own, value = 1.0;
  MPI_Win_allocate(64, 8, MPI_INFO_NULL, WORLD, &own, &window);
  MPI_Win_fence(0, window);
  MPI_Put(&value, 1, MPI_DOUBLE, next, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_lock(MPI_LOCK_SHARED, before, 0, window);
  MPI_Get(&value, 1, MPI_DOUBLE, before, 1, 1, MPI_DOUBLE, window);
  MPI_Win_unlock(before, window);
  MPI_Win_free(&window);
}

static void files(const char* name) {
  MPI_File file;
  MPI_File_open(WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_write_at(file, 100 * rank, out, 100, MPI_BYTE, IGNORE);
  MPI_File_read_at_all(file, 100 * rank, in, 100, MPI_BYTE, IGNORE);
  MPI_File_close(&file);
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &ranks);
  next = (rank + 1) % ranks;
  before = (rank + ranks - 1) % ranks;
  MPI_Pcontrol(1, "two ranks");
  blocking();
  posted();
  MPI_Barrier(WORLD);
  MPI_Pcontrol(-1, "two ranks");
  persistent();
  probed();
  MPI_Pcontrol(1);
  communicators();
  one_sided();
  if (count > 1) files(arguments[1]);
  long mine[2] = {messages, bytes}, all[2];
  MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, WORLD);
  if (rank == 0) printf("sent %ld %ld\n", all[0], all[1]);
  MPI_Finalize();
  return 0;
}
