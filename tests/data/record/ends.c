// A ring of messages, and then an end of the kind that the argument names.
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD
#ifndef TURNS
#define TURNS 20000
#endif

static int is(const char* one, const char* other) { return strcmp(one, other) == 0; }

static int open_records(void) {
  int found = 0;
  for (int file = 0; file < 256; ++file) {
    char link[32], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (readlink(link, path, sizeof path - 1) > 0) found += strstr(path, ".rank") != NULL;
  }
  return found;
}

static void before_messages(const char* how) {
  if (is(how, "chdir") && chdir("/")) exit(9);
  // A program may close all files: the recorder must not have one that another could then be.
  if (is(how, "close") && open_records()) exit(9);
  if (is(how, "file size")) {
    const struct rlimit most = {50000, 50000};
    setrlimit(RLIMIT_FSIZE, &most);
  }
  if (is(how, "fork")) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, NULL, 0);
    if (system("true")) exit(9);
  }
}

int main(int count, char** arguments) {
  int rank, ranks;
  double out = 0, in;
  const char* how = count > 1 ? arguments[1] : "";
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &ranks);
  before_messages(how);
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int turn = 0; turn < TURNS; ++turn)
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, next, turn, &in, 1, MPI_DOUBLE, before, turn, WORLD,
                 MPI_STATUS_IGNORE);
  if (is(how, "late")) {
    // Rank 1 sends, and enters the barrier, 200 ms after rank 0 has begun to wait for it.
    MPI_Barrier(WORLD);
    if (rank == 1) usleep(200000);
    if (rank == 1) MPI_Send(&out, 1, MPI_DOUBLE, 0, 1, WORLD);
    if (rank == 0) MPI_Recv(&in, 1, MPI_DOUBLE, 1, 1, WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) usleep(200000);
    MPI_Allreduce(&out, &in, 1, MPI_DOUBLE, MPI_SUM, WORLD);
    if (rank == 0) usleep(200000);
    if (rank == 0) MPI_Recv(&in, 1, MPI_DOUBLE, 1, 2, WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Ssend(&out, 1, MPI_DOUBLE, 0, 2, WORLD);
  }
  if (is(how, "kill") && rank == 1) raise(SIGKILL);
  if (is(how, "kill")) MPI_Recv(&in, 1, MPI_DOUBLE, 1, TURNS, WORLD, MPI_STATUS_IGNORE);
  if (is(how, "abort") && rank == 0) MPI_Abort(WORLD, 7);
  if (is(how, "abort")) MPI_Barrier(WORLD);
  if (is(how, "exit")) exit(0);
  MPI_Finalize();
  return is(how, "status") ? 3 : 0;
}
