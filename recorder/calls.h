// What the generated wrappers call: the beginning of a call, its end, and what it did.
#pragma once
#include <stdlib.h>
#include <string.h>

#include "sites.h"

#define ON_STACK 64  // requests for which a call needs no memory of its own

// Whether a call, with this stack pointer before it, comes from within another call of MPI. One
// whose stack lies not below that call's shows that longjmp has left that call.
static inline int nested(const void* stack) {
  return phasewise_depth && (uintptr_t)stack < phasewise_outermost;
}

static inline void enter(Frame* frame, uint32_t function, const void* address, const void* stack) {
  phasewise_depth = 1;
  phasewise_outermost = (uintptr_t)stack;
  Thread* thread = phasewise_thread;
  frame->thread = thread ? thread : new_thread();
  frame->function = (int32_t)function;
  if (several_threads) lock_recorder();
  frame->site = site_of((uintptr_t)address, (uintptr_t)stack);
  if (several_threads) unlock_recorder();
}

// partner: a world rank, or NOBODY.
static inline void start(Frame* frame, int32_t partner) {
  Block* block = frame->thread->calls.block;
  if (__builtin_expect(!function_known[frame->function], 0)) {
    if (several_threads) lock_recorder();
    define_function((uint32_t)frame->function);
    if (several_threads) unlock_recorder();
  }
  frame->began = now();
  if (!block) return;
  block->began = frame->began;
  block->site = frame->site;
  block->peer = partner;
  block->function = frame->function;
}

// Where several threads call MPI, calls must end in the order in which they are told: a slot that
// one of them has freed may be taken by the next.
static inline void stop(Frame* frame) {
  if (several_threads) lock_recorder();
  frame->ended = now();
}

static inline void leave(Frame* frame) {
  if (several_threads) unlock_recorder();
  Block* block = frame->thread->calls.block;
  if (block) block->function = -1;
  phasewise_depth = 0;
}

// What the library leaves unset in a status reads as 0; `on_stack` has ON_STACK statuses.
static inline MPI_Status* own_statuses(MPI_Status* on_stack, int many) {
  if (many > ON_STACK) return calloc((size_t)many, sizeof *on_stack);
  if (many > 0) memset(on_stack, 0, sizeof *on_stack * (size_t)many);
  return on_stack;
}

static inline int64_t size_of(MPI_Datatype type) {
  int size = 0;
  if (type == MPI_DATATYPE_NULL) return 0;
  real_MPI_Type_size(type, &size);
  if (size != MPI_UNDEFINED) return size;
  MPI_Count large = 0;
  real_MPI_Type_size_x(type, &large);
  return (int64_t)large;
}

// Without items the type need not be one.
static inline int64_t bytes_of(int64_t count, MPI_Datatype type) {
  return count ? count * size_of(type) : 0;
}

static inline int64_t bytes_in(MPI_Status* status) {
  int count = 0;
  real_MPI_Get_count(status, MPI_BYTE, &count);
  if (count != MPI_UNDEFINED) return count;
  MPI_Count large = 0;
  real_MPI_Get_elements_x(status, MPI_BYTE, &large);
  return large < 0 ? 0 : (int64_t)large;
}

static inline uint64_t parent_of(MPI_Comm communicator) {
  if (several_threads) lock_recorder();
  const uint64_t id = id_of(communicator);
  if (several_threads) unlock_recorder();
  return id;
}

static inline void freed(uintptr_t handle, int window) {
  if (several_threads) lock_recorder();
  drop_space(handle, window);
  if (several_threads) unlock_recorder();
}

static inline int32_t partner(int rank, MPI_Comm communicator) {
  return several_threads ? NOBODY : world_rank(space_of(communicator), rank);
}

extern int cancelling;  // whether the program has ever cancelled a request

void other(Frame* frame);
void sent(Frame* frame, int64_t bytes, int to, int tag, MPI_Comm communicator);
void received(Frame* frame, int from, int tag, MPI_Comm communicator, MPI_Status* status);
void exchanged(Frame* frame, int64_t bytes, int to, int tag, int from, MPI_Comm communicator,
               MPI_Status* status);
void send_posted(Frame* frame, int64_t bytes, int to, int tag, MPI_Comm communicator,
                 MPI_Request request, int persistent);
void receive_posted(Frame* frame, int from, int tag, MPI_Comm communicator, MPI_Request request,
                    int persistent);
void exchange_posted(Frame* frame, int64_t bytes, int to, int tag, int from, int from_tag,
                     MPI_Comm communicator, MPI_Request request);
void started(Frame* frame, int count, const MPI_Request* handles);
void completed(Frame* frame, Request** requests, const int* which, int count, MPI_Status* statuses);
void polled(Frame* frame);
void request_freed(Frame* frame, Request** request);
void probed(Frame* frame, MPI_Comm communicator, MPI_Status* status, MPI_Message* message);
void message_received(Frame* frame, MPI_Message message, MPI_Status* status, MPI_Request* request);

// Counts of a v-collective: of `width` bytes each, in units of a type, or each of its own type.
typedef struct {
  const void* counts;
  size_t width;
  MPI_Datatype type;
  const MPI_Datatype* types;
  int many;
} Counts;
#define COUNTS(given, type, many) ((Counts){given, sizeof *(given), type, NULL, many})
#define COUNTS_W(given, types, many) ((Counts){given, sizeof *(given), MPI_BYTE, types, many})

void collective(Frame* frame, int64_t bytes_sent, int64_t bytes_received, int root,
                MPI_Comm communicator, MPI_Request* request, int persistent);
void collective_of_counts(Frame* frame, Counts send, Counts receive, int64_t bytes_sent,
                          int64_t bytes_received, int root, MPI_Comm communicator,
                          MPI_Request* request, int persistent);
int is_root(int root, MPI_Comm communicator);
int members(MPI_Comm communicator);
int own_members(MPI_Comm communicator);
void neighbours(MPI_Comm communicator, int* in, int* out);

void communicator_made(Frame* frame, uint64_t parent, MPI_Comm made);
void communicator_promised(Frame* frame, uint64_t parent, MPI_Comm made, MPI_Request request);
void window_made(Frame* frame, MPI_Win made);
void named(Frame* frame, MPI_Comm communicator, const char* name);
void one_sided(Frame* frame, int64_t out, int64_t in, int target, MPI_Win window);
void at_window(Frame* frame, int target, MPI_Win window);
void of_file(Frame* frame, int64_t out, int64_t in);
void control(Frame* frame, int level, const char* name);
