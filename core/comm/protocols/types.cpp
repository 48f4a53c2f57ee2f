#include "comm/protocols/types.hpp"

#include <stdexcept>

#include "exchange/in_place.hpp"

namespace phasewise::comm {
namespace {

// Repeats `inner` `count` times with this stride [B], and frees `inner`.
MPI_Datatype repeated(MPI_Datatype inner, std::int64_t count, std::int64_t stride) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(mpi_int(count), 1, stride, inner, &type);
  MPI_Type_free(&inner);
  return type;
}

MPI_Datatype run_of(std::int64_t bytes) {
  const bool doubles = bytes % 8 == 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(mpi_int(doubles ? bytes / 8 : bytes), doubles ? MPI_DOUBLE : MPI_BYTE, &type);
  return type;
}

OwnedType type_of(const exchange::Fragments& fragments) {
  std::vector<int> ones(fragments.size(), 1);
  std::vector<MPI_Aint> places;
  std::vector<MPI_Datatype> parts;
  for (const exchange::Fragment& f : fragments) {
    places.push_back(f.at);
    parts.push_back(
        repeated(repeated(run_of(f.run), f.count, f.stride), f.outer_count, f.outer_stride));
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(mpi_int(std::ssize(parts)), ones.data(), places.data(), parts.data(),
                         &type);
  for (MPI_Datatype& part : parts) MPI_Type_free(&part);
  MPI_Type_commit(&type);
  return OwnedType(type);
}

}  // namespace

OwnedType::~OwnedType() {
  if (!mpi_has_ended() && type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

std::vector<OwnedType> RoundTypes::make(const std::vector<exchange::Transfer>& transfers,
                                        std::int64_t item_size) const {
  std::vector<OwnedType> types;
  exchange::Fragments fragments;
  for (const exchange::Transfer& t : transfers) {
    if (exchange_->message_bytes(t) == 0) continue;
    fragments.clear();
    append(fragments, *exchange_, t, item_size);
    types.push_back(type_of(fragments));
  }
  return types;
}

void RoundTypes::prepare(const RoundMessages& messages) {
  if (messages.from.item_size == from_item_ && messages.to.item_size == to_item_) return;
  from_item_ = messages.from.item_size;
  to_item_ = messages.to.item_size;
  const exchange::Round& round = (*exchange_->rounds)[round_];
  sends_ = make(round.sends, from_item_);
  receives_ = make(round.receives, to_item_);
}

}  // namespace phasewise::comm
