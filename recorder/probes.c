// Probes, and the messages that a matched probe has taken.
#include "calls.h"
#include "emit.h"

typedef struct Taken {
  uintptr_t message;
  Space* space;
  int32_t slot;  // the same for the probe and for the receive
  struct Taken* next;
} Taken;

static Taken* taken;

static int32_t take(MPI_Message message, Space* space) {
  Taken* one = malloc(sizeof *one);
  if (!one) abort();
  hold_space(space);
  *one = (Taken){HANDLE(message), space, take_slot(), taken};
  taken = one;
  return one->slot;
}

// The message that is received now: its space is to be released, and its slot to be freed.
static Taken given_out(MPI_Message message) {
  const uintptr_t handle = HANDLE(message);
  for (Taken** at = &taken; *at; at = &(*at)->next) {
    if ((*at)->message != handle) continue;
    Taken* one = *at;
    const Taken found = *one;
    *at = found.next;
    free(one);
    return found;
  }
  Space* world = space_of(MPI_COMM_WORLD);
  hold_space(world);
  return (Taken){handle, world, -1, NULL};
}

// A message was found; message: where a matched probe has put it, else null.
void probed(Frame* frame, MPI_Comm communicator, MPI_Status* status, MPI_Message* message) {
  Call call = call_of(frame);
  Space* space = space_of(communicator);
  call.space = space->number;
  call.peer = world_rank(space, status->MPI_SOURCE);
  if (message && *message != MPI_MESSAGE_NO_PROC) call.slot = take(*message, space);
  emit(frame, &call, (Amount){0, 0, 0}, NULL);
}

// A message that a matched probe had taken was received, or its receive was posted.
void message_received(Frame* frame, MPI_Message message, MPI_Status* status, MPI_Request* request) {
  Call call = call_of(frame);
  const Taken found = given_out(message);
  Space* space = found.space;
  int32_t tags[1];
  if (request) {
    // Who sent it is told at its completion.
    Request* made = add_request(*request, space, 0);
    made->receives = made->wild = 1;
    if (found.slot >= 0) {
      free_slot(made->slot);
      made->slot = found.slot;
    }
    call.space = space->number;
    call.slot = made->slot;
    call.peer = ANYBODY;
    call.flags = RECEIVES | WILD;
    tags[call.tags++] = MPI_ANY_TAG;
    release_space(space);
    emit(frame, &call, (Amount){0, 0, 0}, tags);
    return;
  }
  free_slot(found.slot);
  call.space = space->number;
  call.slot = found.slot;
  call.peer = world_rank(space, status->MPI_SOURCE);
  if (call.peer >= 0) {
    call.received = bytes_in(status);
    tags[call.tags++] = status->MPI_TAG;
  }
  release_space(space);
  emit(frame, &call, (Amount){0, 0, call.received}, tags);
}
