// The library's data types of what a round sends and receives: the library itself reads the data
// from the buffers and writes them there.
#pragma once

#include <vector>

#include "comm/carrier.hpp"
#include "comm/mpi/posted.hpp"

namespace phasewise::comm {

// A committed data type that the destructor frees.
class OwnedType {
 public:
  explicit OwnedType(MPI_Datatype type) : type_(type) {}
  OwnedType(OwnedType&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  OwnedType& operator=(OwnedType&& other) noexcept {
    std::swap(type_, other.type_);
    return *this;
  }
  ~OwnedType();
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
};

// How the library takes a message: by its type, or as plain bytes if there are no contents.
struct TypedCount {
  int count;
  MPI_Datatype type;
};

// The types of a round's messages to and from other ranks, in the order of RoundMessages, relative
// to the beginnings of the buffers.
class RoundTypes {
 public:
  explicit RoundTypes(const RoundPlace& place) : exchange_(place.exchange), round_(place.round) {}

  // Makes the types on the first call, since only buffers know the size of their items.
  void prepare(const RoundMessages& messages);
  TypedCount send(const Posting& posting, const RoundMessages& messages, std::size_t i) const {
    if (messages.from.data != nullptr) return {1, sends_[i].get()};
    const auto [count, type] = posting.count(messages.sends[i]);
    return {count, type};
  }
  TypedCount receive(const Posting& posting, const RoundMessages& messages, std::size_t i) const {
    if (messages.to.data != nullptr) return {1, receives_[i].get()};
    const auto [count, type] = posting.count(messages.receives[i]);
    return {count, type};
  }
  const std::vector<OwnedType>& sends() const { return sends_; }
  const std::vector<OwnedType>& receives() const { return receives_; }

 private:
  std::vector<OwnedType> make(const std::vector<exchange::Transfer>& transfers,
                              std::int64_t item_size) const;

  exchange::ExchangePointer exchange_;
  std::size_t round_;
  std::int64_t from_item_ = -1, to_item_ = -1;  // B
  std::vector<OwnedType> sends_, receives_;
};

}  // namespace phasewise::comm
