// The wrappers of the calls that begin and end a program's use of MPI.
#include <stdarg.h>

#include "calls.h"

static int inside(void) { return phasewise_depth > 0; }

int wrapped_MPI_Init(int* count, char*** arguments) {
  const int within = inside();
  ++phasewise_depth;
  const int result = real_MPI_Init(count, arguments);
  if (!within && result == MPI_SUCCESS) begin_recording();
  --phasewise_depth;
  return result;
}

int wrapped_MPI_Init_thread(int* count, char*** arguments, int required, int* provided) {
  const int within = inside();
  ++phasewise_depth;
  const int result = real_MPI_Init_thread(count, arguments, required, provided);
  if (!within && result == MPI_SUCCESS) begin_recording();
  --phasewise_depth;
  return result;
}

int wrapped_MPI_Finalize(void) {
  const int within = inside();
  ++phasewise_depth;
  if (!within) end_recording(FINALIZED, 0);
  const int result = real_MPI_Finalize();
  --phasewise_depth;
  return result;
}

int wrapped_MPI_Abort(MPI_Comm communicator, int code) {
  if (recording) end_recording(ABORTED, code);
  return real_MPI_Abort(communicator, code);
}

int wrapped_MPI_Pcontrol(const int level, const char* name) {
  const void* stack = __builtin_dwarf_cfa();
  if (!recording || nested(stack)) return real_MPI_Pcontrol(level, name);
  const void* address = __builtin_return_address(0);
  Frame frame;
  enter(&frame, F_MPI_Pcontrol, address, stack);
  start(&frame, NOBODY);
  const int result = real_MPI_Pcontrol(level, name);
  stop(&frame);
  // The bindings of Fortran pass no name.
  control(&frame, level, of_library((uintptr_t)address - 1) ? NULL : name);
  leave(&frame);
  return result;
}

#ifdef PHASEWISE_SESSIONS
int wrapped_MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  if (!head) leave_note("session", "MPI_Session_init");
  return real_MPI_Session_init(info, handler, session);
}
#endif
