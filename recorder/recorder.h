// What the parts of the recorder share. It is compiled once for each MPI library, against that
// library's own mpi.h, together with wrappers that are generated from it.
#pragma once
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "format.h"
#include "functions.h"

// One distinct call, as the dictionary holds it. Two calls with equal values have one number.
typedef struct {
  uint32_t function;  // index of functions.h
  int32_t site;
  int32_t space;   // number of the communicator or window, or -1
  int32_t peer;    // world rank of the partner, root or target, or one of the values below
  int32_t source;  // of a call that also receives
  int32_t slot;    // of the request, or -1
  uint32_t list;   // number of a list, 0 for none
  uint16_t flags;
  uint16_t tags;           // how many tags the stream of tags has for it
  int64_t sent, received;  // bytes
} Call;
_Static_assert(sizeof(Call) == 48, "calls are compared word by word");

// What a call adds to the statistics.
typedef struct {
  int64_t messages, sent, received;
} Amount;

// A communicator or a window: the ranks of the world that a call may name.
typedef struct Space {
  uintptr_t handle;
  int32_t kind;    // SPACE_INTRA and others of format.h
  int32_t number;  // within this rank
  uint64_t id;     // agreed among the members
  int n, me;   // ranks that a call may name (of an inter-communicator the remote ones); own rank
  int local;   // ranks of the own group
  int* world;  // their ranks in the world
  int live, holders;  // holders: requests and messages under way that know it
  struct Space* next;
} Space;

typedef struct Request {
  uintptr_t handle;
  Space* space;
  int64_t bytes;  // that are sent when it starts
  int32_t slot, peer;
  uint8_t receives, wild, persistent, active, claimed;
  MPI_Comm made;    // by MPI_Comm_idup
  uint64_t parent;  // and what its number follows from
  struct Request* next;
} Request;

typedef struct {
  uint8_t *at, *end;
  Block* block;
  uint32_t kind, thread;
} Stream;

typedef struct Thread {
  Stream calls, tags;
  int64_t last;   // end of the last call [ns]
  uint8_t* poll;  // where the last record lies if it is a poll, else null
  uint32_t poll_number;
  int64_t poll_gap, poll_began, poll_count, poll_inside;
  struct Thread* next;
} Thread;

// A loaded object.
typedef struct {
  uintptr_t start, end;
  const char* path;
  int number;      // in the trace, or -1
  int of_library;  // whether it belongs to MPI, or to the recorder
} Object;

// One call under way.
typedef struct {
  Thread* thread;
  int64_t began, ended;
  int32_t function, site;
} Frame;

extern __thread int phasewise_depth __attribute__((tls_model("initial-exec")));
extern __thread uintptr_t phasewise_outermost __attribute__((tls_model("initial-exec")));
extern __thread Thread* phasewise_thread __attribute__((tls_model("initial-exec")));
extern volatile int recording;  // whether calls are recorded at all
extern int tracing;             // whether the trace goes on, not only the statistics
extern int several_threads;
extern int32_t own_rank, region;
extern Head* head;

static inline int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static inline uint8_t* varint(uint8_t* at, uint64_t value) {
  while (value >= 0x80) {
    *at++ = (uint8_t)(value | 0x80);
    value >>= 7;
  }
  *at++ = (uint8_t)value;
  return at;
}

static inline uint64_t zigzag(int64_t value) {
  return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

// blocks.c
void set_folder(const char* folder);
int open_record(uint64_t limit);
Block* new_block(uint32_t kind, uint32_t thread, size_t need);
uint8_t* more_room(Stream* stream, size_t bytes);
void stop_tracing(uint32_t why);
void leave_note(const char* kind, const char* text);

// Where `bytes` bytes may be written; null if the trace has ended.
static inline uint8_t* room(Stream* stream, size_t bytes) {
  if (__builtin_expect(stream->end - stream->at < (ptrdiff_t)bytes, 0))
    return more_room(stream, bytes);
  return stream->at;
}

// What a killed program leaves is what `used` counts, which is therefore written last.
static inline void written(Stream* stream, uint8_t* to) {
  stream->at = to;
  __atomic_store_n(&stream->block->used, (uint64_t)(to - (uint8_t*)(stream->block + 1)),
                   __ATOMIC_RELEASE);
}

// definitions.c
extern uint8_t function_known[FUNCTIONS];
void begin_definitions(void);
void define_text(const char* name, const char* text);
void define_function(uint32_t function);
void define_site(int32_t site, int frames, const uintptr_t* addresses);
void define_space(const Space* space, uint64_t parent, const char* name);
void define_neighbours(const Space* space, int in, const int* from, int out, const int* to);
void define_name(const Space* space, const char* name);
void define_list(const uint8_t* bytes, size_t length);
void define_call(const Call* call);
void define_region(int32_t number, const char* name);

// dictionary.c
typedef struct {
  Call call;
  Statistic* statistic;
  int32_t region, last_tag;
  uint32_t number;
} Entry;
Entry* entry_of(const Call* call);
uint32_t list_of(const uint8_t* bytes, size_t length);
Statistic* statistic_of(const Call* call);
void begin_statistics(void);
int32_t region_of(const char* name);

// sites.c
int32_t new_site(uintptr_t address, uintptr_t frame);

// objects.c
// The loaded object that an address lies in, or null.
Object* object_at(uintptr_t address);
// Whether an address is in the MPI library, its bindings, or the recorder.
int of_library(uintptr_t address);

// spaces.c
Space* space_of(MPI_Comm communicator);
Space* space_of_window(MPI_Win window);
Space* new_communicator(MPI_Comm communicator, uint64_t parent);
void new_window(MPI_Win window);
void drop_space(uintptr_t handle, int window);
void forget_space(Space* space);
uint64_t id_of(MPI_Comm communicator);
uint64_t id_of_next(uint64_t parent);
void begin_spaces(void);
#define HANDLE(given) handle_of(&(given), sizeof(given))

static inline uintptr_t handle_of(const void* handle, size_t size) {
  uintptr_t value = 0;
  memcpy(&value, handle, size < sizeof value ? size : sizeof value);
  return value;
}

// Requests and messages under way know their space even if the program has freed it.
static inline void hold_space(Space* space) { ++space->holders; }

static inline void release_space(Space* space) {
  if (--space->holders == 0 && !space->live) forget_space(space);
}

// World rank of a rank of a space.
static inline int32_t world_rank(const Space* space, int rank) {
  return rank >= 0 && rank < space->n ? space->world[rank]
         : rank == MPI_ANY_SOURCE     ? ANYBODY
                                      : NOBODY;
}

// neighbours.c
void tell_neighbours(const Space* space, MPI_Comm communicator);

// requests.c
int32_t take_slot(void);
void free_slot(int32_t slot);
Request* add_request(MPI_Request handle, Space* space, int persistent);
Request* find_request(uintptr_t handle);
void claim_requests(int count, const MPI_Request* handles, Request** found);
void release_requests(int count, const MPI_Request* handles, Request** found);
void drop_older(const Request* request);
void drop_request(Request* request);

// session.c
void begin_recording(void);
void end_recording(uint32_t state, int code);
Thread* new_thread(void);
void lock_recorder(void);
void unlock_recorder(void);
