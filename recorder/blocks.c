// The file of a rank: blocks that are mapped one by one, so that what is written survives a kill.
// The file is opened anew for each block: a program may close all files, or change its folder.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "recorder.h"

#define SMALLEST ((size_t)16 << 10)
#define LARGEST ((size_t)1 << 20)
#define LONGEST_PATH 4096

static char folder_name[LONGEST_PATH], file_name[LONGEST_PATH + 64];
static uint64_t length, limit, traced;

// The next `size` bytes of the file; null with the reason if there are none.
static Block* mapped(uint64_t size, uint32_t* why) {
  struct rlimit allowed;
  // Beyond it the system would send a signal that ends the program.
  if (getrlimit(RLIMIT_FSIZE, &allowed) == 0 && allowed.rlim_cur != RLIM_INFINITY &&
      length + size > allowed.rlim_cur) {
    *why = FILE_SIZE;
    return NULL;
  }
  const int file = open(file_name, O_RDWR | O_CLOEXEC);
  if (file < 0) {
    *why = NOT_OPENED;
    return NULL;
  }
  int failed;
  do failed = posix_fallocate(file, (off_t)length, (off_t)size);
  while (failed == EINTR);
  void* at = MAP_FAILED;
  if (!failed) at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)length);
  close(file);
  *why = failed ? FULL_DISK : NO_MEMORY;
  return at == MAP_FAILED ? NULL : at;
}

static uint64_t size_for(uint32_t kind, uint64_t before, size_t need) {
  uint64_t size = before ? 2 * before : SMALLEST;
  if (kind == STATISTICS || kind == HEAD) size = SMALLEST;
  if (size > LARGEST) size = LARGEST;
  while (size < need + sizeof(Block)) size *= 2;
  return size;
}

static Block* block_of(uint32_t kind, uint32_t thread, uint64_t before, size_t need) {
  const uint64_t size = size_for(kind, before, need);
  const int counts = kind == ENTRIES || kind == CALLS || kind == TAGS;
  uint32_t why = LIMIT;
  Block* block = counts && traced + size > limit ? NULL : mapped(size, &why);
  if (!block) {
    stop_tracing(why);
    return NULL;
  }
  length += size;
  // What numbers stand for is needed beyond the limit too.
  if (counts || kind == DEFINITIONS) traced += size;
  *block = (Block){.kind = kind, .thread = thread, .size = (uint32_t)size, .function = -1};
  __atomic_store_n(&block->magic, BLOCK_MAGIC, __ATOMIC_RELEASE);
  return block;
}

Block* new_block(uint32_t kind, uint32_t thread, size_t need) {
  return block_of(kind, thread, 0, need);
}

uint8_t* more_room(Stream* stream, size_t bytes) {
  if (!tracing && stream->kind != DEFINITIONS) return NULL;
  Block* last = stream->block;
  Block* block = block_of(stream->kind, stream->thread, last ? last->size : 0, bytes);
  if (!block) return NULL;
  if (last) {
    block->began = last->began;
    block->function = last->function;
    block->site = last->site;
    block->peer = last->peer;
    munmap(last, last->size);
  }
  stream->block = block;
  stream->at = (uint8_t*)(block + 1);
  stream->end = (uint8_t*)block + block->size;
  return stream->at;
}

void stop_tracing(uint32_t why) {
  if (tracing && head) {
    head->why = why;
    head->traced_until = now();
  }
  tracing = 0;
}

void set_folder(const char* folder) { snprintf(folder_name, sizeof folder_name, "%s", folder); }

// Make the file of this rank; 0 if that is not possible.
int open_record(uint64_t most) {
  limit = most;
  snprintf(file_name, sizeof file_name, "%s/%d.rank", folder_name, own_rank);
  const int file = open(file_name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) {
    leave_note(errno == EEXIST ? "alone" : "unwritable", strerror(errno));
    return 0;
  }
  close(file);
  Block* block = new_block(HEAD, 0, sizeof(Head));
  if (!block) {
    leave_note("unwritable", "there is no space for the file");
    return 0;
  }
  head = (Head*)(block + 1);
  head->version = FORMAT_VERSION;
  block->used = sizeof(Head);
  return 1;
}

// A file that says in its name and its text why a process left no record.
void leave_note(const char* kind, const char* text) {
  char name[LONGEST_PATH + 64];
  snprintf(name, sizeof name, "%s/%s.%d", folder_name, kind, (int)getpid());
  const int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  if (write(file, text, strlen(text)) < 0) unlink(name);
  close(file);
}
