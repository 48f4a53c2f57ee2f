// How a call gets into the trace and the statistics.
#include "emit.h"

static Statistic* in_trace(Frame* frame, const Call* call, const int32_t* tags) {
  Thread* thread = frame->thread;
  Entry* entry = entry_of(call);
  if (!entry) return NULL;
  if (entry->region != region) {
    entry->statistic = statistic_of(call);
    entry->region = region;
  }
  if (call->tags) {
    uint8_t* at = room(&thread->tags, 5 * (size_t)call->tags);
    if (!at) return entry->statistic;
    for (int k = 0; k < call->tags; ++k) {
      at = varint(at, zigzag((int64_t)tags[k] - entry->last_tag));
      if (!several_threads) entry->last_tag = tags[k];
    }
    written(&thread->tags, at);
  }
  // A row of polls is written again when it grows, which must fit into the block.
  uint8_t* at = room(&thread->calls, 72);
  if (!at) return entry->statistic;
  if (call->flags & POLL) {
    thread->poll = at;
    thread->poll_number = entry->number;
    thread->poll_gap = frame->began - thread->last;
    thread->poll_began = frame->began;
    thread->poll_count = 1;
    thread->poll_inside = frame->ended - frame->began;
  }
  at = varint(at, entry->number);
  at = varint(at, (uint64_t)(frame->began - thread->last));
  written(&thread->calls, varint(at, (uint64_t)(frame->ended - frame->began)));
  return entry->statistic;
}

static void lengthen_poll(Frame* frame) {
  Thread* thread = frame->thread;
  ++thread->poll_count;
  thread->poll_inside += frame->ended - frame->began;
  uint8_t* at = varint(thread->poll, thread->poll_number);
  at = varint(at, (uint64_t)thread->poll_gap);
  at = varint(varint(at, (uint64_t)(frame->ended - thread->poll_began)), 0);
  at = varint(at, (uint64_t)thread->poll_count);
  written(&thread->calls, varint(at, (uint64_t)thread->poll_inside));
}

void emit(Frame* frame, const Call* call, Amount amount, const int32_t* tags) {
  Thread* thread = frame->thread;
  Statistic* statistic = NULL;
  const int poll = call->flags & POLL;
  if (tracing && poll && thread->poll) {
    lengthen_poll(frame);
  } else {
    thread->poll = NULL;
    if (tracing) statistic = in_trace(frame, call, tags);
  }
  if (!statistic) statistic = statistic_of(call);
  thread->last = frame->ended;
  ++statistic->calls;
  statistic->messages += amount.messages;
  statistic->sent += amount.sent;
  statistic->received += amount.received;
  statistic->time += frame->ended - frame->began;
}
