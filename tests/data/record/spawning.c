// A program that starts another rank of itself, which sends it a number.
#include <mpi.h>

int main(int count, char** words) {
  int value = 1;
  MPI_Comm parent, child;
  MPI_Init(&count, &words);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(words[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &child,
                   MPI_ERRCODES_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 1, child, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&child);
  } else {
    MPI_Send(&value, 1, MPI_INT, 0, 1, parent);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  return 0;
}
