// Loaded objects by address. `dladdr` would also search for the symbol, among all of an object's:
// that takes some 0.1 ms in a large library. Symbols are looked up after the run.
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"

#define MOST_OBJECTS 1024

static Object objects[MOST_OBJECTS];
static int count;
// How often objects have been loaded and unloaded.
static unsigned long long loads, unloads;

static const char* base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int is_library(const char* path) {
  static const char* const names[] = {"libmpi.",    "libmpi_",      "libmpich",  "libmpifort",
                                      "libmpicxx.", "libpmpi",      "libopen-",  "mca_",
                                      "libmca_",    "libphasewise", "libfmpich."};
  const char* name = base_name(path);
  for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
    if (strncmp(name, names[k], strlen(names[k])) == 0) return 1;
  return 0;
}

static void keep(uintptr_t start, uintptr_t end, const char* path) {
  for (int k = 0; k < count; ++k)
    if (objects[k].start == start && strcmp(objects[k].path, path) == 0) {
      objects[k].end = end;
      return;
    }
  char* copy = count < MOST_OBJECTS ? strdup(path) : NULL;
  if (copy)
    objects[count++] = (Object){
        .start = start, .end = end, .path = copy, .number = -1, .of_library = is_library(copy)};
}

static int keep_object(struct dl_phdr_info* info, size_t size, void* given) {
  (void)size;
  (void)given;
  uintptr_t start = UINTPTR_MAX, end = 0;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[k];
    if (part->p_type != PT_LOAD) continue;
    const uintptr_t first = info->dlpi_addr + part->p_vaddr;
    if (first < start) start = first & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    if (first + part->p_memsz > end) end = first + part->p_memsz;
  }
  // The program itself has no name here. Others may be relative to the folder of this moment.
  const int named = info->dlpi_name[0] != 0;
  char* whole = realpath(named ? info->dlpi_name : "/proc/self/exe", NULL);
  keep(start, end, whole ? whole : named ? info->dlpi_name : program_invocation_name);
  free(whole);
  return 0;
}

// Sets `given` if objects were loaded or unloaded since the last call.
static int look_for_changes(struct dl_phdr_info* info, size_t size, void* given) {
  (void)size;
  *(int*)given = info->dlpi_adds != loads || info->dlpi_subs != unloads;
  loads = info->dlpi_adds;
  unloads = info->dlpi_subs;
  return 1;
}

Object* object_at(uintptr_t address) {
  int changed = 0;
  dl_iterate_phdr(look_for_changes, &changed);
  if (changed) {
    // What was unloaded has no addresses, unless it is met again.
    for (int k = 0; k < count; ++k) objects[k].end = objects[k].start;
    dl_iterate_phdr(keep_object, NULL);
  }
  for (int k = 0; k < count; ++k)
    if (address >= objects[k].start && address < objects[k].end) return &objects[k];
  return NULL;
}

int of_library(uintptr_t address) {
  const Object* found = object_at(address);
  return found && found->of_library;
}
