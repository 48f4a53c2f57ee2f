// The file of a rank, as the recorder writes it and phasewise/recorder/raw.py reads it. It is a
// row of blocks in the byte order of the machine. Blocks of one kind and thread make a stream.
//
// Definitions and entries are records of varints (LEB128), signed ones zigzag: a kind, then what it
// says. The trace is entries, calls and tags.
//   text        name, text                          (a text is its length and its bytes)
//   function    index, name
//   object      number, address of its start, path
//   site        number, frames, then for each: object + 1 or 0, offset, and a name, which is empty:
//               names are looked up after the run
//   space       number, kind, id (8 bytes), id of the parent (8 bytes), own rank, name,
//               number of ranks, for each the difference of its world rank to the one before
//   neighbours  number of the space; number of those that the rank receives from, and world rank or
//               -1 of each; the same of those that it sends to
//   name        number of the space, name
//   list        length, bytes; lists are numbered from 1 on
//   call        function, site, space, peer, source, slot, list, flags, tags, sent, received;
//               calls are numbered from 1 on
//   region      number, name
// Calls are triples: number, gap since the last call of this thread [ns], duration [ns]. A triple
// with number 0 says that the call before it is a row of polls: how many, time inside of them.
// Tags are zigzag differences to the last tag of a call of the same number, or, where several
// threads call MPI at once, zigzag values.
#pragma once
#include <stdint.h>

#define FORMAT_VERSION 1
#define BLOCK_MAGIC 0x31425750u  // "PWB1"

enum { HEAD = 1, DEFINITIONS, ENTRIES, CALLS, TAGS, STATISTICS };

enum { TEXT = 1, FUNCTION, OBJECT, SITE, SPACE, NAME, LIST, CALL, REGION, NEIGHBOURS };

// Kinds of spaces.
enum { SPACE_INTRA, SPACE_INTER, SPACE_WINDOW };

// Peers that are no ranks.
enum { NOBODY = -1, ANYBODY = -2 };

// Flags of a call.
enum { RECEIVES = 1, WILD = 2, CANCELLED = 4, PERSISTENT = 8, POLL = 16 };

typedef struct {
  uint32_t magic, kind, thread, size;
  uint64_t used;  // bytes after this header
  // The call that this thread is in, if `function` is not -1; only in a thread's last block.
  int64_t began;
  int32_t function, site, peer, unused[5];
} Block;
_Static_assert(sizeof(Block) == 64, "the reader knows this size");

enum { RUNNING, FINALIZED, EXITED, ABORTED };

// Why the trace ends before the program.
enum { WHOLE, LIMIT, FULL_DISK, FILE_SIZE, DICTIONARY, NOT_OPENED, NO_MEMORY };

typedef struct {
  uint32_t version, rank, ranks;
  uint32_t several_threads;  // whether threads call MPI at once (MPI_THREAD_MULTIPLE)
  uint32_t state;
  int32_t code;  // of MPI_Abort
  uint32_t why, statistics_lost;
  int64_t began, ended;                // on this rank's clock [ns]
  int64_t offset_began, offset_ended;  // to be added to get rank 0's clock [ns]
  int64_t traced_until;                // 0: to the end
  int64_t cpu_began, cpu_ended;        // CPU time of the process [ns]
  int64_t switches_began, switches_ended;
} Head;

typedef struct {
  uint32_t function;
  int32_t site, space, peer, region, unused;
  int64_t calls, messages, sent, received, time;
} Statistic;
_Static_assert(sizeof(Statistic) == 64, "the reader knows this size");
