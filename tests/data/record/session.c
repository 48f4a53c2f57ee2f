// A program of a session alone, or with the word "world" of a session beside MPI_Init.
#include <mpi.h>

int main(int count, char** words) {
#if MPI_VERSION >= 4
  MPI_Session session;
  MPI_Group group;
  MPI_Comm all;
  int value = 1;
  if (count > 1) MPI_Init(&count, &words);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "phasewise", MPI_INFO_NULL, MPI_ERRORS_RETURN, &all);
  MPI_Bcast(&value, 1, MPI_INT, 0, all);
  MPI_Comm_free(&all);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  if (count > 1) MPI_Finalize();
#endif
  return 0;
}
