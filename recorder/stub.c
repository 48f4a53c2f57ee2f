// What is preloaded into every process of the command. It needs no symbol of MPI, so that programs
// without MPI do not notice it. Each function of MPI jumps to where `places` says: at first to the
// library's own function, and from MPI_Init on to the recorder's wrapper.
//
// The bindings of Fortran call PMPI_X, programs call MPI_X: both names are defined here, once.
// Arguments pass through as they are: registers and stack hold them in the same way whatever their
// types (System V on x86-64, AAPCS64, ELFv2, RISC-V's LP64D), since none of them is floating.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((tls_model("initial-exec"))) __thread int phasewise_depth;
__attribute__((tls_model("initial-exec"))) __thread uintptr_t phasewise_outermost;
__attribute__((tls_model("initial-exec"))) __thread void* phasewise_thread;

static void* resolved(int place);
static void load_recorder(void);

#include "stub_functions.h"  // places, names, and a function for each name

#define MOST_OBJECTS 4096

typedef struct {
  char* paths[MOST_OBJECTS];
  int count;
} Objects;

static int keep_path(struct dl_phdr_info* object, size_t size, void* given) {
  (void)size;
  Objects* all = given;
  if (!object->dlpi_name || !object->dlpi_name[0] || all->count == MOST_OBJECTS) return 0;
  char* path = strdup(object->dlpi_name);
  if (path) all->paths[all->count++] = path;
  return 0;
}

// The function in this object, unless it is the stub's own.
static void* other_than(const void* base, void* handle, const char* name) {
  Dl_info where;
  void* found = dlsym(handle, name);
  return found && dladdr(found, &where) && where.dli_fbase != base ? found : NULL;
}

// The function in any object. They are opened after the list of them is complete: the loader holds
// a lock while it goes through the list, and another thread that loads an object may wait for it.
static void* of_any_object(const void* base, const char* name) {
  static void* library;  // where one was found before
  void* known = __atomic_load_n(&library, __ATOMIC_ACQUIRE);
  void* found = known ? other_than(base, known, name) : NULL;
  Objects* all = found ? NULL : calloc(1, sizeof *all);
  if (!all) return found;
  dl_iterate_phdr(keep_path, all);
  for (int k = 0; k < all->count; ++k) {
    void* handle = found ? NULL : dlopen(all->paths[k], RTLD_LAZY | RTLD_NOLOAD);
    if (handle && (found = other_than(base, handle, name)))
      __atomic_store_n(&library, handle, __ATOMIC_RELEASE);
    else if (handle)
      dlclose(handle);
    free(all->paths[k]);
  }
  free(all);
  return found;
}

// A function that is not this stub's: of the next object, or, where a program has loaded MPI by
// dlopen, of any object.
static void* beyond(const char* name) {
  Dl_info self;
  void* found = dlsym(RTLD_NEXT, name);
  if (found) return found;
  if (!dladdr((void*)(uintptr_t)&beyond, &self)) return NULL;
  return of_any_object(self.dli_fbase, name);
}

static void* find(const char* name) {
  char profiled[128];
  snprintf(profiled, sizeof profiled, "P%s", name);
  void* found = beyond(profiled);
  return found ? found : beyond(name);
}

static void* resolved(int place) {
  void* found = find(names[place]);
  if (!found) {
    fprintf(stderr, "phasewise: the program calls %s and has no MPI library\n", names[place]);
    abort();
  }
  void* before = firsts[place];
  // Unless the recorder has put its wrapper there meanwhile.
  __atomic_compare_exchange_n(&places[place], &before, found, 0, __ATOMIC_ACQ_REL,
                              __ATOMIC_ACQUIRE);
  return found;
}

static void note(const char* folder, const char* kind, const char* text) {
  char name[4200];
  snprintf(name, sizeof name, "%s/%s.%d", folder, kind, (int)getpid());
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  if (write(file, text, strlen(text)) < 0) unlink(name);
  close(file);
}

// Whether the program's MPI library is the one of this soname.
static int uses(const char* soname, void* base) {
  void* handle = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return 0;
  Dl_info where;
  void* found = dlsym(handle, "PMPI_Init");
  const int same = found && dladdr(found, &where) && where.dli_fbase == base;
  dlclose(handle);
  return same;
}

typedef void Attach(const char*, uint64_t, int, const char* const*, void**, void* (*)(const char*));

static void attach(const char* folder, uint64_t limit, char* path) {
  path[strcspn(path, "\n")] = '\0';
  void* recorder = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!recorder) {
    note(folder, "unloadable", dlerror());
    return;
  }
  Attach* with = (Attach*)dlsym(recorder, "phasewise_attach");
  with(folder, limit, PLACES, names, places, find);
}

// The file `recorders` has the limit in bytes, then a line for each library: soname, a tabulator,
// and the recorder for it.
static void load_recorder(void) {
  static int done;
  const char* folder = getenv("PHASEWISE_RECORD");
  if (__atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL) || !folder) return;
  char line[8192];
  snprintf(line, sizeof line, "%s/recorders", folder);
  FILE* file = fopen(line, "re");
  Dl_info library;
  void* init = find("MPI_Init");
  if (!file || !init || !dladdr(init, &library)) return;
  const uint64_t limit = fgets(line, sizeof line, file) ? strtoull(line, NULL, 10) : 0;
  char* path = NULL;
  while (!path && fgets(line, sizeof line, file)) {
    char* tabulator = strchr(line, '\t');
    if (!tabulator) continue;
    *tabulator = '\0';
    if (uses(line, library.dli_fbase)) path = tabulator + 1;
  }
  fclose(file);
  if (path)
    attach(folder, limit, path);
  else
    note(folder, "other-library", library.dli_fname);
}
