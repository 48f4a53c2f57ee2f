// The ways in which the messages of a round of an exchange may go. The exchange decides who sends
// which bytes to whom; all protocols leave the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace phasewise::exchange {

struct Exchange;
struct Round;

enum class Protocol : std::uint8_t {
  irecv_isend,  // posts all receives, then all sends
  ordered,      // blocking; of two ranks the lower one sends first
  sendrecv,     // the i-th send together with the i-th receive (see `paired`)
  isend_recv,   // posts sends, then receives with blocking calls
  irecv_send,   // posts receives, then sends with blocking calls
  ready,        // ready sends, once the receiver has said that it waits
  synchronous,  // as irecv_isend, but a send ends only when its receive has begun
  persistent,   // as irecv_isend, with requests that are made once
  derived,      // the library's vector types, in place
  packed,       // packed and unpacked by the library
  neighbour,    // MPI_Neighbor_alltoallw
  fence,        // one-sided: put between fences
  post_start,   // one-sided: put between post, start, complete and wait
  put,          // one-sided: put, flush, flag
  get,          // one-sided: flag, get
  shared,       // loads and stores within a node, put between nodes
  shmem,        // OpenSHMEM: put and flag
  coarray,      // Fortran co-arrays: put and flag
  partitioned   // MPI 4's partitioned messages
};
inline constexpr int protocols = 19;

// The names in a study, in the order of the enumeration.
inline constexpr std::array<std::string_view, protocols> protocol_names{
    "irecv-isend", "ordered", "sendrecv", "isend-recv", "irecv-send", "ready",      "synchronous",
    "persistent",  "derived", "packed",   "neighbour",  "fence",      "post-start", "put",
    "get",         "shared",  "shmem",    "coarray",    "partitioned"};
inline std::string_view name_of(Protocol protocol) {
  return protocol_names[static_cast<std::size_t>(protocol)];
}

// The kind of call decides what a message costs a processor beyond the network's latency.
enum class Overhead : std::uint8_t { two_sided, persistent, derived, one_sided, coarray, shmem };
inline constexpr int overheads = 6;
Overhead overhead_of(Protocol protocol);
// The seconds that each end spends on a message, by kind, those of each round of an exchange, and
// those of a collective call of the library.
struct Overheads {
  std::array<double, overheads> message{};
  double round = 0.0;
  double collective = 0.0;
};

// Where the data of messages lie between the buffers of two ranks.
//   plain: data in one piece are sent and received where they lie; others are packed
//   types: the library moves data from buffer to buffer
//   window: data arrive in memory that others write to, and are unpacked from there
//   exposed: data are packed into memory that others read from
//   stored: data are packed straight into memory of the receiver, or into memory that stays where
//           it is, and unpacked from there
enum class Staging : std::uint8_t { plain, types, window, exposed, stored };
Staging staging_of(Protocol protocol);

// Whether posting a round waits for other ranks, so that no other work can be done meanwhile.
bool blocks(Protocol protocol);
// How many messages of a round go in pairs by `sendrecv`: all if a rank sends as many as it
// receives. Else it posts all at once, since the ranks would be at different pairs, and some could
// wait for each other for ever.
inline std::size_t paired(std::size_t sends, std::size_t receives) {
  return sends == receives ? sends : 0;
}
// Whether messages may lie in the memory of a device from which the library can send. One-sided
// messages arrive in memory of the library or of a node, and the library itself would pack data of
// types.
inline bool takes_device_memory(Protocol protocol) {
  return staging_of(protocol) == Staging::plain;
}
// Whether all ranks must prepare such an exchange together.
bool needs_preparation(Protocol protocol);

// What a round sends besides its data.
struct Signals {
  std::vector<int> before;            // ranks to which an empty message goes before any data
  std::vector<int> after;             // ranks to which one goes after the data
  std::int64_t synchronisations = 0;  // flags, handshakes and fences of this rank, including those
                                      // that are empty messages
  bool fence = false;                 // all ranks wait for each other
};
Signals signals_of(const Exchange& exchange, const Round& round);

}  // namespace phasewise::exchange
