#include "comm/protocols/symmetric_memory.hpp"

#include <mpi.h>
#include <sched.h>

#include <bit>
#include <stdexcept>
#include <string>

#include "comm/communicator.hpp"
#include "comm/mpi/handle.hpp"
#include "comm/transport_library.hpp"
#include "parallel/cache_line.hpp"

namespace phasewise::comm {
namespace {

constexpr std::int64_t smallest = 1 << 16;  // B
constexpr std::int64_t fewest_flags = 64;
constexpr int spins = 200;  // before the processor is yielded to others

std::int64_t rounded(std::int64_t wanted, std::int64_t least) {
  const auto number = static_cast<std::uint64_t>(std::max(wanted, least));
  return static_cast<std::int64_t>(std::bit_ceil(number));
}

}  // namespace

std::int64_t Parts::take(std::int64_t size) {
  std::int64_t at = 0;
  for (const auto& [first, end] : end_) {
    if (first - at >= size) break;
    at = end;
  }
  end_[at] = at + size;
  return at;
}

// All memory of a transport. It grows by doubling, since it may have to move when it grows.
struct SymmetricMemory::Heap {
  const PhasewiseTransport& transport;
  Parts bytes, flags;
  std::byte* base = nullptr;

  static Heap& of(exchange::Protocol protocol) {
    static std::map<exchange::Protocol, Heap> heaps;
    return heaps.try_emplace(protocol, Heap{transport_of(protocol), {}, {}}).first->second;
  }
  // Returns whether the transport has that much memory.
  bool open() {
    base = static_cast<std::byte*>(
        transport.open(rounded(bytes.end(), smallest), rounded(flags.end(), fewest_flags)));
    return base != nullptr;
  }
};

SymmetricMemory::SymmetricMemory(exchange::Protocol protocol, std::int64_t bytes,
                                 std::int64_t flags)
    : heap_(Heap::of(protocol)),
      first_byte_(heap_.bytes.take(parallel::whole_lines(bytes))),
      first_flag_(heap_.flags.take(flags)) {
  if (!heap_.open())
    throw std::invalid_argument(
        "communication protocol \"" + std::string(name_of(protocol)) + "\" cannot hold " +
        std::to_string(heap_.bytes.end()) + " bytes of messages on a rank" +
        (protocol == exchange::Protocol::shmem ? ": give SHMEM_SYMMETRIC_HEAP_SIZE more than 1G"
                                               : ""));
  const int me = heap_.transport.rank();
  for (std::int64_t flag = 0; flag < flags; ++flag)
    heap_.transport.set_flag(me, first_flag_ + flag, 0, 0.0);
  heap_.transport.sync();
}

SymmetricMemory::~SymmetricMemory() {
  heap_.bytes.give_back(first_byte_);
  heap_.flags.give_back(first_flag_);
  if (!mpi_has_ended() && heap_.bytes.none()) heap_.transport.close();
}

std::byte* SymmetricMemory::at(std::int64_t place) const {
  return heap_.base + first_byte_ + place;
}

void SymmetricMemory::put(int rank, std::int64_t place, const std::byte* data,
                          std::int64_t bytes) const {
  heap_.transport.put(rank, first_byte_ + place, data, bytes);
}

void SymmetricMemory::raise(int rank, std::int64_t flag, std::int64_t value, double clock) const {
  heap_.transport.set_flag(rank, first_flag_ + flag, value, clock);
}

double SymmetricMemory::await(std::int64_t flag, std::int64_t value) const {
  double clock = 0.0;
  for (int i = 0; heap_.transport.test_flag(first_flag_ + flag, value, &clock) == 0; ++i)
    if (i >= spins) sched_yield();
  return clock;
}

}  // namespace phasewise::comm
