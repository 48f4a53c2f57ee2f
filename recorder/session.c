// The beginning and the end of a recording, its threads, and processes that fork.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clocks.h"

volatile int recording;
int tracing, several_threads;
int32_t own_rank, region;
Head* head;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t ending;
static Thread* unused;
static uint64_t limit;

void lock_recorder(void) { pthread_mutex_lock(&lock); }
void unlock_recorder(void) { pthread_mutex_unlock(&lock); }

static int64_t cpu_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int64_t switches(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_nivcsw : 0;
}

// A thread that has ended leaves its streams to the next one.
static void release(void* given) {
  Thread* thread = given;
  phasewise_thread = NULL;
  lock_recorder();
  thread->next = unused;
  unused = thread;
  unlock_recorder();
}

Thread* new_thread(void) {
  static uint32_t threads;
  lock_recorder();
  Thread* thread = unused;
  if (thread) {
    unused = thread->next;
  } else {
    thread = calloc(1, sizeof *thread);
    if (!thread) abort();
    thread->last = head->began;
    thread->calls = (Stream){.kind = CALLS, .thread = threads};
    thread->tags = (Stream){.kind = TAGS, .thread = threads};
    ++threads;
    // What a call under way is must be readable before the first one has ended.
    if (tracing) room(&thread->calls, 72);
  }
  unlock_recorder();
  phasewise_thread = thread;
  pthread_setspecific(ending, thread);
  return thread;
}

// The file belongs to the parent.
static void in_child(void) { recording = tracing = 0; }

static const char* name_of(int level) {
  if (level == MPI_THREAD_SINGLE) return "MPI_THREAD_SINGLE";
  if (level == MPI_THREAD_FUNNELED) return "MPI_THREAD_FUNNELED";
  return level == MPI_THREAD_SERIALIZED ? "MPI_THREAD_SERIALIZED" : "MPI_THREAD_MULTIPLE";
}

static void define_self(int level) {
  char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
  int length = 0;
  real_MPI_Get_library_version(text, &length);
  define_text("library", text);
  define_text("thread level", name_of(level));
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  define_text("host", host);
  char program[4096] = "";
  if (readlink("/proc/self/exe", program, sizeof program - 1) > 0) define_text("program", program);
}

// Where the recording goes and how long it may be, from the file that the stub has read.
void set_recording(const char* where, uint64_t most) {
  set_folder(where);
  limit = most;
}

void begin_recording(void) {
  int ranks, rank, level = MPI_THREAD_SINGLE;
  if (head) return;
  real_MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  real_MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  own_rank = rank;
  // A program or its environment may have asked for more than MPI_Init says.
  real_MPI_Query_thread(&level);
  several_threads = level == MPI_THREAD_MULTIPLE;
  tracing = 1;
  const int opened = open_record(limit);
  if (opened) {
    pthread_key_create(&ending, release);
    pthread_atfork(NULL, NULL, in_child);
    head->rank = (uint32_t)rank;
    head->ranks = (uint32_t)ranks;
    head->several_threads = (uint32_t)several_threads;
    define_self(level);
    begin_definitions();
    begin_statistics();
    begin_spaces();
  }
  // All ranks take part, also those without a file.
  const int64_t offset = align_clocks(rank, ranks);
  if (!opened) {
    tracing = 0;
    return;
  }
  head->offset_began = head->offset_ended = offset;
  head->cpu_began = cpu_time();
  head->switches_began = switches();
  head->began = now();
  new_thread();
  recording = 1;
}

static void close_head(uint32_t state, int code) {
  recording = 0;
  head->ended = now();
  head->cpu_ended = cpu_time();
  head->switches_ended = switches();
  head->code = code;
  head->state = state;
}

void end_recording(uint32_t state, int code) {
  if (recording) close_head(state, code);
  if (state != FINALIZED) return;
  const int64_t offset = align_clocks_again();
  if (head) head->offset_ended = offset;
}

__attribute__((destructor)) static void exit_without_finalize(void) {
  if (recording) close_head(EXITED, 0);
}
