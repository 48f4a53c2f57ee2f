// Communicators and windows. Members agree on a number without a message: it follows from the
// parent's number, the members in their order, and how many such communicators there were before,
// since all members create those of one parent in one order. So nothing is sent that the program
// would not have sent, and MPI_Comm_idup needs no care.
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

#define BUCKETS 4096

static Space *spaces[BUCKETS], *world, *last;
static MPI_Group world_group;
static int32_t count;

static Space** bucket_of(uintptr_t handle) {
  return &spaces[((handle >> 4) ^ handle * 2654435761u) % BUCKETS];
}

static Space* find(uintptr_t handle, int window) {
  for (Space* space = *bucket_of(handle); space; space = space->next)
    if (space->live && space->handle == handle && (space->kind == SPACE_WINDOW) == window)
      return space;
  return NULL;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x100000001b3);
  return hash ^ (hash >> 29);
}

// How many spaces of this rank have had this base before.
static uint32_t times_before(uint64_t base) {
  typedef struct Times {
    struct Times* next;
    uint64_t base;
    uint32_t times;
  } Times;
  static Times* known[BUCKETS];
  Times** bucket = &known[base % BUCKETS];
  for (Times* one = *bucket; one; one = one->next)
    if (one->base == base) return one->times++;
  Times* one = malloc(sizeof *one);
  if (!one) return 0;
  *one = (Times){.next = *bucket, .base = base, .times = 1};
  *bucket = one;
  return 0;
}

static int* in_world(MPI_Group group, int size) {
  int *own = calloc((size_t)size + 1, sizeof *own), *found = calloc((size_t)size + 1, sizeof *own);
  if (!own || !found) abort();
  for (int k = 0; k < size; ++k) own[k] = k;
  real_MPI_Group_translate_ranks(group, size, own, world_group, found);
  for (int k = 0; k < size; ++k)
    if (found[k] == MPI_UNDEFINED) found[k] = NOBODY;
  free(own);
  return found;
}

static uint64_t hash_of_members(uint64_t hash, const int* members, int size) {
  hash = mix(hash, (uint64_t)size);
  for (int k = 0; k < size; ++k) hash = mix(hash, (uint64_t)members[k]);
  return hash;
}

static Space* keep(Space* space, uint64_t parent, uint64_t base, const char* name) {
  space->number = count++;
  space->live = 1;
  space->id = mix(base, times_before(base));
  Space** bucket = bucket_of(space->handle);
  space->next = *bucket;
  *bucket = space;
  define_space(space, parent, name);
  return space;
}

// Both sides see the two groups in one order: that of the smaller first member comes first.
static uint64_t base_of_inter(const Space* space, MPI_Comm communicator) {
  MPI_Group group;
  int size;
  real_MPI_Comm_size(communicator, &size);
  real_MPI_Comm_group(communicator, &group);
  int* local = in_world(group, size);
  real_MPI_Group_free(&group);
  const uint64_t mine = hash_of_members(11, local, size);
  const uint64_t other = hash_of_members(11, space->world, space->n);
  const int first = space->n == 0 || (size > 0 && local[0] < space->world[0]);
  free(local);
  return first ? mix(mix(7, mine), other) : mix(mix(7, other), mine);
}

// A communicator that was just made from that of number `parent`, or met for the first time.
Space* new_communicator(MPI_Comm communicator, uint64_t parent) {
  if (communicator == MPI_COMM_NULL) return NULL;
  const uintptr_t handle = HANDLE(communicator);
  drop_space(handle, 0);
  Space* space = calloc(1, sizeof *space);
  if (!space) abort();
  int inter, length = 0;
  MPI_Group group;
  real_MPI_Comm_test_inter(communicator, &inter);
  real_MPI_Comm_rank(communicator, &space->me);
  real_MPI_Comm_size(communicator, &space->local);
  if (inter) {
    real_MPI_Comm_remote_size(communicator, &space->n);
    real_MPI_Comm_remote_group(communicator, &group);
  } else {
    real_MPI_Comm_size(communicator, &space->n);
    real_MPI_Comm_group(communicator, &group);
  }
  space->handle = handle;
  space->kind = inter ? SPACE_INTER : SPACE_INTRA;
  space->world = in_world(group, space->n);
  real_MPI_Group_free(&group);
  char name[MPI_MAX_OBJECT_NAME + 1] = "";
  real_MPI_Comm_get_name(communicator, name, &length);
  // The sides of an inter-communicator may have different parents.
  const uint64_t base = inter ? base_of_inter(space, communicator)
                              : hash_of_members(mix(3, parent), space->world, space->n);
  keep(space, parent, base, name);
  if (!inter) tell_neighbours(space, communicator);
  return space;
}

void new_window(MPI_Win window) {
  MPI_Group group;
  if (window == MPI_WIN_NULL || real_MPI_Win_get_group(window, &group) != MPI_SUCCESS) return;
  Space* space = calloc(1, sizeof *space);
  if (!space) abort();
  space->handle = HANDLE(window);
  drop_space(space->handle, 1);
  space->kind = SPACE_WINDOW;
  real_MPI_Group_size(group, &space->n);
  real_MPI_Group_rank(group, &space->me);
  space->world = in_world(group, space->n);
  real_MPI_Group_free(&group);
  keep(space, 0, hash_of_members(5, space->world, space->n), "");
}

Space* space_of(MPI_Comm communicator) {
  const uintptr_t handle = HANDLE(communicator);
  if (last && last->handle == handle && last->live) return last;
  Space* space = find(handle, 0);
  if (!space) space = new_communicator(communicator, 0);
  return last = space ? space : world;
}

Space* space_of_window(MPI_Win window) {
  Space* space = find(HANDLE(window), 1);
  if (space) return space;
  new_window(window);
  space = find(HANDLE(window), 1);
  return space ? space : world;
}

uint64_t id_of(MPI_Comm communicator) {
  const Space* space = communicator == MPI_COMM_NULL ? NULL : space_of(communicator);
  return space ? space->id : 0;
}

// What the number of a communicator follows from that is made later, in any order.
uint64_t id_of_next(uint64_t parent) {
  const uint64_t base = mix(13, parent);
  return mix(base, times_before(base));
}

void forget_space(Space* space) {
  free(space->world);
  free(space);
}

// The handle may be given to another one; requests under way still know this space.
void drop_space(uintptr_t handle, int window) {
  Space* space = find(handle, window);
  if (!space || space == world) return;
  Space** at = bucket_of(handle);
  while (*at != space) at = &(*at)->next;
  *at = space->next;
  if (last == space) last = NULL;
  space->live = 0;
  if (!space->holders) forget_space(space);
}

void begin_spaces(void) {
  real_MPI_Comm_group(MPI_COMM_WORLD, &world_group);
  world = new_communicator(MPI_COMM_WORLD, 0);
  new_communicator(MPI_COMM_SELF, 0);
}
