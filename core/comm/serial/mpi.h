// MPI for a single process: what core/comm uses of the standard, with its meaning for one rank.
// core/comm is compiled against this header for the build without an MPI library. A rank sends no
// message to itself (core/comm copies instead), so that point-to-point calls know only
// MPI_PROC_NULL.
#pragma once

#define PHASEWISE_SERIAL 1

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

namespace phasewise::comm::serial {

// Runs of bytes that repeat: pairs of count and stride [B], outermost first.
struct Type {
  std::size_t run;  // B
  std::vector<std::pair<int, std::ptrdiff_t>> repeats = {};
};

inline const Type byte_type{1}, int_type{sizeof(int)}, eight_bytes_type{8};
inline bool initialised = false, finalised = false;
inline char in_place = 0;

// Calls visit(run) for each run of bytes in order.
template <class Byte, class Visit>
void for_runs(Byte* data, const Type& type, std::size_t level, const Visit& visit) {
  if (level == type.repeats.size()) return visit(data);
  const auto [count, stride] = type.repeats[level];
  for (int i = 0; i < count; ++i) for_runs(data + i * stride, type, level + 1, visit);
}

// Copies what this rank sends to where it receives.
inline void deliver(const void* from, int sends, const Type& out, void* to, int receives,
                    const Type& in) {
  std::vector<std::byte> message;
  for (int i = 0; i < sends; ++i)
    for_runs(static_cast<const std::byte*>(from) + i * out.run, out, 0,
             [&](const std::byte* run) { message.insert(message.end(), run, run + out.run); });
  const std::byte* next = message.data();
  for (int i = 0; i < receives; ++i)
    for_runs(static_cast<std::byte*>(to) + i * in.run, in, 0, [&](std::byte* run) {
      std::memcpy(run, next, in.run);
      next += in.run;
    });
}

}  // namespace phasewise::comm::serial

using MPI_Comm = int;
using MPI_Aint = std::ptrdiff_t;
using MPI_Datatype = const phasewise::comm::serial::Type*;
using MPI_Info = int;
using MPI_Op = int;
using MPI_Request = int;
inline constexpr MPI_Request MPI_REQUEST_NULL = 0;
struct MPI_Status {
  int MPI_TAG;
};

inline constexpr int MPI_SUCCESS = 0, MPI_UNDEFINED = -32766;
inline constexpr MPI_Comm MPI_COMM_NULL = 0, MPI_COMM_WORLD = 1;
inline constexpr int MPI_PROC_NULL = -2, MPI_ANY_TAG = -1;
inline constexpr int MPI_TAG_UB = 1, MPI_COMM_TYPE_SHARED = 1;
inline constexpr MPI_Info MPI_INFO_NULL = 0;
inline constexpr MPI_Op MPI_SUM = 1, MPI_MAX = 2, MPI_BOR = 3;
inline constexpr int MPI_THREAD_SINGLE = 0, MPI_THREAD_FUNNELED = 1;
inline constexpr int MPI_MAX_LIBRARY_VERSION_STRING = 64;
inline constexpr MPI_Datatype MPI_DATATYPE_NULL = nullptr,
                              MPI_BYTE = &phasewise::comm::serial::byte_type,
                              MPI_INT = &phasewise::comm::serial::int_type,
                              MPI_DOUBLE = &phasewise::comm::serial::eight_bytes_type,
                              MPI_INT64_T = MPI_DOUBLE, MPI_UINT64_T = MPI_DOUBLE;
inline MPI_Status* const MPI_STATUS_IGNORE = nullptr;
inline MPI_Status* const MPI_STATUSES_IGNORE = nullptr;
inline void* const MPI_IN_PLACE = &phasewise::comm::serial::in_place;

// Start and end.

inline int MPI_Initialized(int* flag) {
  *flag = phasewise::comm::serial::initialised;
  return MPI_SUCCESS;
}
inline int MPI_Init_thread(int*, char***, int required, int* provided) {
  phasewise::comm::serial::initialised = true;
  *provided = required;
  return MPI_SUCCESS;
}
inline int MPI_Finalized(int* flag) {
  *flag = phasewise::comm::serial::finalised;
  return MPI_SUCCESS;
}
inline int MPI_Finalize() {
  phasewise::comm::serial::finalised = true;
  return MPI_SUCCESS;
}
[[noreturn]] inline int MPI_Abort(MPI_Comm, int status) { std::_Exit(status); }
inline int MPI_Get_library_version(char* text, int* length) {
  constexpr char name[] = "none (serial build)";
  std::memcpy(text, name, sizeof name);
  *length = sizeof name - 1;
  return MPI_SUCCESS;
}

// Groups all consist of this rank. No message passes between ranks, so that one number serves for
// all groups.

inline int MPI_Comm_rank(MPI_Comm, int* rank) {
  *rank = 0;
  return MPI_SUCCESS;
}
inline int MPI_Comm_size(MPI_Comm, int* size) {
  *size = 1;
  return MPI_SUCCESS;
}
inline int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  *copy = comm;
  return MPI_SUCCESS;
}
inline int MPI_Comm_split(MPI_Comm comm, int color, int, MPI_Comm* part) {
  *part = color == MPI_UNDEFINED ? MPI_COMM_NULL : comm;
  return MPI_SUCCESS;
}
inline int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info, MPI_Comm* part) {
  return MPI_Comm_split(comm, type, key, part);
}
inline int MPI_Comm_free(MPI_Comm* comm) {
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
inline int MPI_Comm_get_attr(MPI_Comm, int key, void* value, int* known) {
  static int largest_tag = 0x3fffffff;
  *known = key == MPI_TAG_UB;
  if (*known) *static_cast<int**>(value) = &largest_tag;
  return MPI_SUCCESS;
}

// Data types.

inline int MPI_Type_contiguous(int count, MPI_Datatype inner, MPI_Datatype* type) {
  if (!inner->repeats.empty()) throw std::logic_error("only elementary types are put in a row");
  *type = new phasewise::comm::serial::Type{static_cast<std::size_t>(count) * inner->run};
  return MPI_SUCCESS;
}
inline int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype inner,
                                   MPI_Datatype* type) {
  if (length != 1) throw std::logic_error("a block of more than one element is not known");
  auto* repeated = new phasewise::comm::serial::Type(*inner);
  repeated->repeats.insert(repeated->repeats.begin(), {count, stride});
  *type = repeated;
  return MPI_SUCCESS;
}
inline int MPI_Type_commit(MPI_Datatype*) { return MPI_SUCCESS; }
inline int MPI_Type_free(MPI_Datatype* type) {
  delete *type;
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

// Collectives. A displacement is in elements, except in MPI_Alltoallw, where it is in bytes.

inline int MPI_Barrier(MPI_Comm) { return MPI_SUCCESS; }
inline int MPI_Bcast(void*, int, MPI_Datatype, int, MPI_Comm) { return MPI_SUCCESS; }
inline int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op,
                         MPI_Comm) {
  if (from != MPI_IN_PLACE) phasewise::comm::serial::deliver(from, count, *type, to, count, *type);
  return MPI_SUCCESS;
}
inline int MPI_Reduce_scatter(const void* from, void* to, const int* counts, MPI_Datatype type,
                              MPI_Op op, MPI_Comm comm) {
  return MPI_Allreduce(from, to, counts[0], type, op, comm);
}
inline int MPI_Allgatherv(const void* from, int sends, MPI_Datatype out, void* to,
                          const int* receives, const int* places, MPI_Datatype in, MPI_Comm) {
  if (from != MPI_IN_PLACE)
    phasewise::comm::serial::deliver(
        from, sends, *out, static_cast<std::byte*>(to) + places[0] * in->run, receives[0], *in);
  return MPI_SUCCESS;
}
inline int MPI_Allgather(const void* from, int sends, MPI_Datatype out, void* to, int receives,
                         MPI_Datatype in, MPI_Comm comm) {
  const int start = 0;
  return MPI_Allgatherv(from, sends, out, to, &receives, &start, in, comm);
}
inline int MPI_Gatherv(const void* from, int sends, MPI_Datatype out, void* to, const int* receives,
                       const int* places, MPI_Datatype in, int, MPI_Comm comm) {
  return MPI_Allgatherv(from, sends, out, to, receives, places, in, comm);
}
inline int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int,
                      MPI_Comm comm) {
  return MPI_Allreduce(from, to, count, type, op, comm);
}
inline int MPI_Gather(const void* from, int sends, MPI_Datatype out, void* to, int receives,
                      MPI_Datatype in, int, MPI_Comm comm) {
  return MPI_Allgather(from, sends, out, to, receives, in, comm);
}
inline int MPI_Scatter(const void* from, int sends, MPI_Datatype out, void* to, int receives,
                       MPI_Datatype in, int, MPI_Comm comm) {
  return MPI_Allgather(from, sends, out, to, receives, in, comm);
}
inline int MPI_Scan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm) {
  return MPI_Allreduce(from, to, count, type, op, comm);
}
inline int MPI_Reduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type,
                                    MPI_Op op, MPI_Comm comm) {
  return MPI_Allreduce(from, to, count, type, op, comm);
}
inline int MPI_Alltoall(const void* from, int sends, MPI_Datatype out, void* to, int receives,
                        MPI_Datatype in, MPI_Comm comm) {
  return MPI_Allgather(from, sends, out, to, receives, in, comm);
}
inline int MPI_Scatterv(const void* from, const int* sends, const int*, MPI_Datatype out, void* to,
                        int receives, MPI_Datatype in, int, MPI_Comm comm) {
  return MPI_Allgather(from, sends[0], out, to, receives, in, comm);
}
inline int MPI_Exscan(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm) {
  return MPI_SUCCESS;
}
inline int MPI_Alltoallw(const void* from, const int* sends, const int* from_places,
                         const MPI_Datatype* out, void* to, const int* receives,
                         const int* to_places, const MPI_Datatype* in, MPI_Comm) {
  phasewise::comm::serial::deliver(static_cast<const std::byte*>(from) + from_places[0], sends[0],
                                   *out[0], static_cast<std::byte*>(to) + to_places[0], receives[0],
                                   *in[0]);
  return MPI_SUCCESS;
}

// Messages.

namespace phasewise::comm::serial {

inline int to_nobody(int peer, MPI_Request* request = nullptr) {
  if (peer != MPI_PROC_NULL)
    throw std::logic_error("this build has no MPI, and a message was to be sent between ranks");
  if (request != nullptr) *request = 0;
  return MPI_SUCCESS;
}

}  // namespace phasewise::comm::serial

inline int MPI_Send(const void*, int, MPI_Datatype, int peer, int, MPI_Comm) {
  return phasewise::comm::serial::to_nobody(peer);
}
inline int MPI_Recv(void*, int, MPI_Datatype, int peer, int, MPI_Comm, MPI_Status*) {
  return phasewise::comm::serial::to_nobody(peer);
}
inline int MPI_Isend(const void*, int, MPI_Datatype, int peer, int, MPI_Comm,
                     MPI_Request* request) {
  return phasewise::comm::serial::to_nobody(peer, request);
}
inline int MPI_Ssend(const void*, int, MPI_Datatype, int peer, int, MPI_Comm) {
  return phasewise::comm::serial::to_nobody(peer);
}
inline int MPI_Issend(const void*, int, MPI_Datatype, int peer, int, MPI_Comm,
                      MPI_Request* request) {
  return phasewise::comm::serial::to_nobody(peer, request);
}
inline int MPI_Request_free(MPI_Request*) { return MPI_SUCCESS; }
inline int MPI_Irecv(void*, int, MPI_Datatype, int peer, int, MPI_Comm, MPI_Request* request) {
  return phasewise::comm::serial::to_nobody(peer, request);
}
inline int MPI_Waitall(int count, MPI_Request*, MPI_Status* statuses) {
  for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < count; ++i)
    statuses[i].MPI_TAG = MPI_ANY_TAG;
  return MPI_SUCCESS;
}
inline int MPI_Waitany(int, MPI_Request*, int* which, MPI_Status* status) {
  *which = MPI_UNDEFINED;
  status->MPI_TAG = MPI_ANY_TAG;
  return MPI_SUCCESS;
}
inline int MPI_Testsome(int, MPI_Request*, int* count, int*, MPI_Status*) {
  *count = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

// Collectives that are started and finished later: with one rank they are done at once.

inline int MPI_Wait(MPI_Request*, MPI_Status*) { return MPI_SUCCESS; }
inline int MPI_Test(MPI_Request*, int* done, MPI_Status*) {
  *done = 1;
  return MPI_SUCCESS;
}
inline int MPI_Alltoallv(const void* from, const int* sends, const int* from_places,
                         MPI_Datatype out, void* to, const int* receives, const int* to_places,
                         MPI_Datatype in, MPI_Comm) {
  phasewise::comm::serial::deliver(
      static_cast<const std::byte*>(from) + from_places[0] * out->run, sends[0], *out,
      static_cast<std::byte*>(to) + to_places[0] * in->run, receives[0], *in);
  return MPI_SUCCESS;
}
inline int MPI_Ibarrier(MPI_Comm comm, MPI_Request*) { return MPI_Barrier(comm); }
inline int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
                      MPI_Request*) {
  return MPI_Bcast(data, count, type, root, comm);
}
inline int MPI_Iallreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm, MPI_Request*) {
  return MPI_Allreduce(from, to, count, type, op, comm);
}
inline int MPI_Ireduce_scatter(const void* from, void* to, const int* counts, MPI_Datatype type,
                               MPI_Op op, MPI_Comm comm, MPI_Request*) {
  return MPI_Reduce_scatter(from, to, counts, type, op, comm);
}
inline int MPI_Ireduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                       int root, MPI_Comm comm, MPI_Request*) {
  return MPI_Reduce(from, to, count, type, op, root, comm);
}
inline int MPI_Igather(const void* from, int sends, MPI_Datatype out, void* to, int receives,
                       MPI_Datatype in, int root, MPI_Comm comm, MPI_Request*) {
  return MPI_Gather(from, sends, out, to, receives, in, root, comm);
}
inline int MPI_Iscatter(const void* from, int sends, MPI_Datatype out, void* to, int receives,
                        MPI_Datatype in, int root, MPI_Comm comm, MPI_Request*) {
  return MPI_Scatter(from, sends, out, to, receives, in, root, comm);
}
inline int MPI_Iscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                     MPI_Comm comm, MPI_Request*) {
  return MPI_Scan(from, to, count, type, op, comm);
}
inline int MPI_Iexscan(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm, MPI_Request*) {
  return MPI_Exscan(from, to, count, type, op, comm);
}
inline int MPI_Iallgatherv(const void* from, int sends, MPI_Datatype out, void* to,
                           const int* receives, const int* places, MPI_Datatype in, MPI_Comm comm,
                           MPI_Request*) {
  return MPI_Allgatherv(from, sends, out, to, receives, places, in, comm);
}
inline int MPI_Ireduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type,
                                     MPI_Op op, MPI_Comm comm, MPI_Request*) {
  return MPI_Allreduce(from, to, count, type, op, comm);
}
inline int MPI_Iallgather(const void* from, int sends, MPI_Datatype out, void* to, int receives,
                          MPI_Datatype in, MPI_Comm comm, MPI_Request*) {
  return MPI_Allgather(from, sends, out, to, receives, in, comm);
}
inline int MPI_Ialltoall(const void* from, int sends, MPI_Datatype out, void* to, int receives,
                         MPI_Datatype in, MPI_Comm comm, MPI_Request*) {
  return MPI_Allgather(from, sends, out, to, receives, in, comm);
}
inline int MPI_Igatherv(const void* from, int sends, MPI_Datatype out, void* to,
                        const int* receives, const int* places, MPI_Datatype in, int root,
                        MPI_Comm comm, MPI_Request*) {
  return MPI_Gatherv(from, sends, out, to, receives, places, in, root, comm);
}
inline int MPI_Iscatterv(const void* from, const int* sends, const int* places, MPI_Datatype out,
                         void* to, int receives, MPI_Datatype in, int root, MPI_Comm comm,
                         MPI_Request*) {
  return MPI_Scatterv(from, sends, places, out, to, receives, in, root, comm);
}
inline int MPI_Ialltoallv(const void* from, const int* sends, const int* from_places,
                          MPI_Datatype out, void* to, const int* receives, const int* to_places,
                          MPI_Datatype in, MPI_Comm comm, MPI_Request*) {
  return MPI_Alltoallv(from, sends, from_places, out, to, receives, to_places, in, comm);
}
