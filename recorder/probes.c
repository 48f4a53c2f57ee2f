// Probes, and the messages that a matched probe has taken.
#include "calls.h"
#include "emit.h"

typedef struct Taken {
  uintptr_t message;
  Space* space;
  struct Taken* next;
} Taken;

static Taken* taken;

static void take(MPI_Message message, Space* space) {
  Taken* one = malloc(sizeof *one);
  if (!one) abort();
  hold_space(space);
  *one = (Taken){.message = HANDLE(message), .space = space, .next = taken};
  taken = one;
}

// The space of a message that is received now; it is to be released.
static Space* space_of_message(MPI_Message message) {
  const uintptr_t handle = HANDLE(message);
  for (Taken** at = &taken; *at; at = &(*at)->next) {
    if ((*at)->message != handle) continue;
    Taken* found = *at;
    Space* space = found->space;
    *at = found->next;
    free(found);
    return space;
  }
  Space* world = space_of(MPI_COMM_WORLD);
  hold_space(world);
  return world;
}

// A message was found; message: where a matched probe has put it, else null.
void probed(Frame* frame, MPI_Comm communicator, MPI_Status* status, MPI_Message* message) {
  Call call = call_of(frame);
  Space* space = space_of(communicator);
  call.space = space->number;
  call.peer = world_rank(space, status->MPI_SOURCE);
  if (message && *message != MPI_MESSAGE_NO_PROC) take(*message, space);
  emit(frame, &call, (Amount){0, 0, 0}, NULL);
}

// A message that a matched probe had taken was received, or its receive was posted.
void message_received(Frame* frame, MPI_Message message, MPI_Status* status, MPI_Request* request) {
  Call call = call_of(frame);
  Space* space = space_of_message(message);
  int32_t tags[1];
  if (request) {
    // Who sent it is told at its completion.
    Request* made = add_request(*request, space, 0);
    made->receives = made->wild = 1;
    call.space = space->number;
    call.slot = made->slot;
    call.peer = ANYBODY;
    call.flags = RECEIVES | WILD;
    tags[call.tags++] = MPI_ANY_TAG;
    release_space(space);
    emit(frame, &call, (Amount){0, 0, 0}, tags);
    return;
  }
  call.space = space->number;
  call.peer = world_rank(space, status->MPI_SOURCE);
  if (call.peer >= 0) {
    call.received = bytes_in(status);
    tags[call.tags++] = status->MPI_TAG;
  }
  release_space(space);
  emit(frame, &call, (Amount){0, 0, call.received}, tags);
}
