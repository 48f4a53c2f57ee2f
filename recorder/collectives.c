// Collectives of the library, what is made by them, one-sided calls, files, regions.
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "calls.h"
#include "emit.h"

int members(MPI_Comm communicator) { return space_of(communicator)->n; }

int own_members(MPI_Comm communicator) { return space_of(communicator)->local; }

int is_root(int root, MPI_Comm communicator) {
  const Space* space = space_of(communicator);
  return space->kind == SPACE_INTER ? root == MPI_ROOT : root == space->me;
}

static void entered(Frame* frame, Call* call, int root, MPI_Comm communicator, MPI_Request* request,
                    int persistent) {
  Space* space = space_of(communicator);
  call->space = space->number;
  call->peer = root >= 0 ? world_rank(space, root) : NOBODY;
  if (request) {
    Request* made = add_request(*request, space, persistent);
    made->bytes = call->sent;
    call->slot = made->slot;
  }
  Amount amount = {0, call->sent, call->received};
  if (persistent) {
    call->flags |= PERSISTENT;
    amount = (Amount){0, 0, 0};
  }
  emit(frame, call, amount, NULL);
}

// root: NOBODY for none.
void collective(Frame* frame, int64_t bytes_sent, int64_t bytes_received, int root,
                MPI_Comm communicator, MPI_Request* request, int persistent) {
  Call call = call_of(frame);
  call.sent = bytes_sent;
  call.received = bytes_received;
  entered(frame, &call, root, communicator, request, persistent);
}

static int64_t count_at(const Counts* given, int place) {
  const char* at = (const char*)given->counts + given->width * (size_t)place;
  if (given->width == sizeof(int)) return *(const int*)at;
  return (int64_t) * (const MPI_Count*)at;
}

static int64_t append(uint8_t** at, const Counts* given) {
  const int64_t size = given->types || !given->counts ? 1 : size_of(given->type);
  const int many = given->counts ? given->many : 0;
  int64_t sum = 0;
  *at = varint(*at, (uint64_t)many);
  for (int k = 0; k < many; ++k) {
    const int64_t count = count_at(given, k);
    const int64_t bytes = count ? count * (given->types ? size_of(given->types[k]) : size) : 0;
    *at = varint(*at, (uint64_t)bytes);
    sum += bytes;
  }
  return sum;
}

// Without counts on a side, its bytes are given.
void collective_of_counts(Frame* frame, Counts send, Counts receive, int64_t bytes_sent,
                          int64_t bytes_received, int root, MPI_Comm communicator,
                          MPI_Request* request, int persistent) {
  Call call = call_of(frame);
  uint8_t *bytes = malloc(10 * (size_t)(send.many + receive.many + 2)), *at = bytes;
  if (!bytes) abort();
  const int64_t out = append(&at, &send), in = append(&at, &receive);
  call.sent = send.counts ? out : bytes_sent;
  call.received = receive.counts ? in : bytes_received;
  call.list = list_of(bytes, (size_t)(at - bytes));
  free(bytes);
  entered(frame, &call, root, communicator, request, persistent);
}

void communicator_made(Frame* frame, uint64_t parent, MPI_Comm made) {
  Call call = call_of(frame);
  const Space* space = new_communicator(made, parent);
  if (space) call.space = space->number;
  emit(frame, &call, (Amount){0, 0, 0}, NULL);
}

// The handle is read at once: the bindings of Fortran give the place of a variable of their own.
void communicator_promised(Frame* frame, uint64_t parent, MPI_Comm made, MPI_Request request) {
  Call call = call_of(frame);
  Request* kept = add_request(request, space_of(MPI_COMM_WORLD), 0);
  kept->made = made;
  kept->parent = id_of_next(parent);
  call.slot = kept->slot;
  emit(frame, &call, (Amount){0, 0, 0}, NULL);
}

void window_made(Frame* frame, MPI_Win made) {
  new_window(made);
  at_window(frame, NOBODY, made);
}

void named(Frame* frame, MPI_Comm communicator, const char* name) {
  Call call = call_of(frame);
  const Space* space = space_of(communicator);
  call.space = space->number;
  define_name(space, name);
  emit(frame, &call, (Amount){0, 0, 0}, NULL);
}

void one_sided(Frame* frame, int64_t out, int64_t in, int target, MPI_Win window) {
  Call call = call_of(frame);
  const Space* space = space_of_window(window);
  call.space = space->number;
  call.peer = target >= 0 ? world_rank(space, target) : NOBODY;
  call.sent = out;
  call.received = in;
  emit(frame, &call, (Amount){0, out, in}, NULL);
}

void at_window(Frame* frame, int target, MPI_Win window) { one_sided(frame, 0, 0, target, window); }

void of_file(Frame* frame, int64_t out, int64_t in) {
  Call call = call_of(frame);
  call.sent = out;
  call.received = in;
  emit(frame, &call, (Amount){0, out, in}, NULL);
}

// The name of a region, if there is one: a program may give the level alone, and then `given` is
// what the register happened to hold. It is read such that nothing can happen.
static int name_at(const char* given, char* name, size_t most) {
  const struct iovec into = {name, most}, from = {(void*)(uintptr_t)given, most};
  struct iovec page = from;
  const size_t rest = 4096 - ((uintptr_t)given & 4095);
  ssize_t read = process_vm_readv(getpid(), &into, 1, &from, 1, 0);
  if (read <= 0 && rest < most) {
    page.iov_len = rest;
    read = process_vm_readv(getpid(), &into, 1, &page, 1, 0);
  }
  for (ssize_t k = 0; k < read; ++k) {
    if (name[k] == '\0') return k > 0;
    if ((unsigned char)name[k] < 0x20 || name[k] == 0x7f) return 0;
  }
  return 0;
}

// Regions are nested; the innermost one counts.
void control(Frame* frame, int level, const char* given) {
  static int32_t open[64];
  static int depth;
  Call call = call_of(frame);
  char name[128];
  call.peer = level;
  if ((level == 1 || level == -1) && given && name_at(given, name, sizeof name)) {
    const int32_t number = region_of(name);
    call.slot = number;
    if (level == 1 && depth < 64) open[depth++] = number;
    if (level == -1)
      for (int k = depth; k-- > 0;)
        if (open[k] == number) {
          depth = k;
          break;
        }
    region = depth ? open[depth - 1] : 0;
  }
  emit(frame, &call, (Amount){0, 0, 0}, NULL);
}
