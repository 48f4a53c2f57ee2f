// Messages between two ranks: sends and receives, blocking, posted, persistent, probed.
#include "calls.h"
#include "emit.h"

int cancelling;

static int is_wild(int from, int tag) { return from == MPI_ANY_SOURCE || tag == MPI_ANY_TAG; }

void other(Frame* frame) {
  const Call call = call_of(frame);
  emit(frame, &call, (Amount){0, 0, 0}, NULL);
}

// A call that found nothing.
void polled(Frame* frame) {
  Call call = call_of(frame);
  call.flags = POLL;
  emit(frame, &call, (Amount){0, 0, 0}, NULL);
}

// A message to `to`, in `call`; to MPI_PROC_NULL there is none.
static Amount message_to(Call* call, const Space* space, int64_t bytes, int to, int tag,
                         int32_t* tags) {
  call->space = space->number;
  call->peer = world_rank(space, to);
  if (call->peer == NOBODY) return (Amount){0, 0, 0};
  call->sent = bytes;
  tags[call->tags++] = tag;
  return (Amount){1, bytes, 0};
}

// The message that a status describes, from whom it came in `source`.
static int64_t message_from(Call* call, const Space* space, int from, int tag, MPI_Status* status,
                            int32_t* source, int32_t* tags) {
  call->space = space->number;
  *source = world_rank(space, status->MPI_SOURCE);
  if (*source < 0) return 0;
  if (is_wild(from, tag)) call->flags |= WILD;
  tags[call->tags++] = status->MPI_TAG;
  return bytes_in(status);
}

void sent(Frame* frame, int64_t bytes, int to, int tag, MPI_Comm communicator) {
  Call call = call_of(frame);
  int32_t tags[1];
  const Amount amount = message_to(&call, space_of(communicator), bytes, to, tag, tags);
  emit(frame, &call, amount, tags);
}

void received(Frame* frame, int from, int tag, MPI_Comm communicator, MPI_Status* status) {
  Call call = call_of(frame);
  int32_t tags[1];
  call.received = message_from(&call, space_of(communicator), from, tag, status, &call.peer, tags);
  emit(frame, &call, (Amount){0, 0, call.received}, tags);
}

void exchanged(Frame* frame, int64_t bytes, int to, int tag, int from, MPI_Comm communicator,
               MPI_Status* status) {
  Call call = call_of(frame);
  Space* space = space_of(communicator);
  int32_t tags[2];
  Amount amount = message_to(&call, space, bytes, to, tag, tags);
  call.received = amount.received = message_from(&call, space, from, 0, status, &call.source, tags);
  emit(frame, &call, amount, tags);
}

static Request* keep(Call* call, MPI_Request handle, Space* space, int persistent) {
  Request* request = add_request(handle, space, persistent);
  call->space = space->number;
  call->slot = request->slot;
  if (persistent) call->flags |= PERSISTENT;
  return request;
}

void send_posted(Frame* frame, int64_t bytes, int to, int tag, MPI_Comm communicator,
                 MPI_Request handle, int persistent) {
  Call call = call_of(frame);
  Space* space = space_of(communicator);
  Request* request = keep(&call, handle, space, persistent);
  int32_t tags[1];
  Amount amount = message_to(&call, space, bytes, to, tag, tags);
  request->peer = call.peer;
  request->bytes = amount.sent;
  if (persistent) {
    amount = (Amount){0, 0, 0};
    drop_older(request);
  }
  emit(frame, &call, amount, tags);
}

void receive_posted(Frame* frame, int from, int tag, MPI_Comm communicator, MPI_Request handle,
                    int persistent) {
  Call call = call_of(frame);
  Space* space = space_of(communicator);
  Request* request = keep(&call, handle, space, persistent);
  request->peer = call.peer = world_rank(space, from);
  const int32_t tags[1] = {tag};
  if (call.peer != NOBODY) {
    request->receives = 1;
    request->wild = (uint8_t)is_wild(from, tag);
    call.flags |= RECEIVES | (request->wild ? WILD : 0);
    call.tags = 1;
    drop_older(request);
  }
  emit(frame, &call, (Amount){0, 0, 0}, tags);
}

void exchange_posted(Frame* frame, int64_t bytes, int to, int tag, int from, int from_tag,
                     MPI_Comm communicator, MPI_Request handle) {
  Call call = call_of(frame);
  Space* space = space_of(communicator);
  Request* request = keep(&call, handle, space, 0);
  int32_t tags[2];
  const Amount amount = message_to(&call, space, bytes, to, tag, tags);
  request->peer = call.source = world_rank(space, from);
  if (call.source != NOBODY) {
    request->receives = 1;
    request->wild = (uint8_t)is_wild(from, from_tag);
    call.flags |= RECEIVES | (request->wild ? WILD : 0);
    tags[call.tags++] = from_tag;
  }
  emit(frame, &call, amount, tags);
}

// Persistent requests begin: what each sends counts for its own partner.
void started(Frame* frame, int count, const MPI_Request* handles) {
  Call call = call_of(frame);
  uint8_t *bytes = malloc(10 * (size_t)count + 1), *at = bytes;
  if (!bytes) abort();
  int found = 0;
  Request* request = NULL;
  for (int k = 0; k < count; ++k) {
    Request* one = find_request(HANDLE(handles[k]));
    if (!one || !one->persistent) continue;
    request = one;
    one->active = 1;
    if (one->slot >= 0) {
      at = varint(at, (uint64_t)one->slot);
      ++found;
    }
    if (count > 1 && !one->receives) {
      Call part = call;
      part.space = one->space->number;
      part.peer = one->peer;
      Statistic* statistic = statistic_of(&part);
      statistic->messages += one->peer >= 0;
      statistic->sent += one->bytes;
    }
  }
  Amount amount = {0, 0, 0};
  if (count > 1) {
    call.list = found ? list_of(bytes, (size_t)(at - bytes)) : 0;
  } else if (request) {
    call.slot = request->slot;
    call.space = request->space->number;
    call.peer = request->peer;
    call.sent = request->bytes;
    if (request->receives) call.flags |= RECEIVES;
    amount = (Amount){!request->receives && request->peer >= 0, request->bytes, 0};
  }
  free(bytes);
  emit(frame, &call, amount, NULL);
}

typedef struct {
  int32_t slot, source, tag;
  uint32_t flags;
  int64_t bytes;
} Completion;

static int complete(Request** place, MPI_Status* status, Completion* done) {
  Request* request = *place;
  if (!request || !request->active) return 0;
  *place = NULL;
  request->claimed = 0;
  *done = (Completion){.slot = request->slot, .source = NOBODY};
  int cancelled = 0;
  if (cancelling) real_MPI_Test_cancelled(status, &cancelled);
  if (cancelled) {
    done->flags = CANCELLED | (request->receives ? RECEIVES : 0);
  } else if (request->receives) {
    done->flags = RECEIVES | (request->wild ? WILD : 0);
    done->source = request->wild ? world_rank(request->space, status->MPI_SOURCE) : NOBODY;
    done->tag = status->MPI_TAG;
    done->bytes = bytes_in(status);
  }
  if (request->made != MPI_COMM_NULL) new_communicator(request->made, request->parent);
  if (request->persistent)
    request->active = 0;
  else
    drop_request(request);
  return 1;
}

static void completed_one(Frame* frame, Request** request, MPI_Status* status) {
  Call call = call_of(frame);
  Completion done;
  int32_t tags[1];
  if (complete(request, status, &done)) {
    call.slot = done.slot;
    call.flags = (uint16_t)done.flags;
    call.peer = done.source;
    call.received = done.bytes;
    if (done.flags & WILD) tags[call.tags++] = done.tag;
  }
  emit(frame, &call, (Amount){0, 0, call.received}, tags);
}

// Requests have completed: `which` are their indices, or all from the first on.
void completed(Frame* frame, Request** requests, const int* which, int count,
               MPI_Status* statuses) {
  if (count == 1) {
    completed_one(frame, &requests[which ? which[0] : 0], statuses);
    return;
  }
  Call call = call_of(frame);
  uint8_t on_stack[30 * ON_STACK], *bytes = on_stack;
  int32_t tags_on_stack[ON_STACK] = {0}, *tags = tags_on_stack;
  if (count > ON_STACK) {
    bytes = malloc(30 * (size_t)count);
    tags = malloc(sizeof *tags * (size_t)count);
    if (!bytes || !tags) abort();
  }
  uint8_t* at = bytes;
  int wild = 0;
  for (int k = 0; k < count; ++k) {
    Completion done;
    if (!complete(&requests[which ? which[k] : k], &statuses[k], &done)) continue;
    call.received += done.bytes;
    // What has no slot or no room for its tag is counted, and left out of the list.
    if (done.slot < 0 || (done.flags & WILD && wild == UINT16_MAX)) continue;
    at = varint(at, (uint64_t)done.slot << 3 | done.flags);
    if (done.flags & RECEIVES) at = varint(at, (uint64_t)done.bytes);
    if (!(done.flags & WILD)) continue;
    at = varint(at, zigzag(done.source));
    tags[wild++] = done.tag;
  }
  if (at > bytes) call.list = list_of(bytes, (size_t)(at - bytes));
  call.tags = (uint16_t)wild;
  emit(frame, &call, (Amount){0, 0, call.received}, tags);
  if (bytes != on_stack) {
    free(bytes);
    free(tags);
  }
}

void request_freed(Frame* frame, Request** place) {
  Call call = call_of(frame);
  if (*place) {
    call.slot = (*place)->slot;
    drop_request(*place);
    *place = NULL;
  }
  emit(frame, &call, (Amount){0, 0, 0}, NULL);
}
