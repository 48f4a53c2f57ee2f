// One rank's part in the exchanges of the Legendre transforms: transposes between latitudes and
// wavenumbers, or sums of coefficients over the ranks, in blocks of wavenumbers.
#pragma once

#include <cstdint>
#include <vector>

#include "exchange/exchange.hpp"
#include "sphere/division.hpp"
#include "sphere/manner.hpp"
#include "workload/workload.hpp"

namespace phasewise::sphere {

// The transposes between the columns of other ranks' wavenumbers at this rank's pairs, and those of
// its own wavenumbers at all pairs [pair][wavenumber]. The former are blocks, one for each rank but
// this one, [pair][wavenumber of that rank]: the Fourier transforms write, and read, columns of
// own wavenumbers where they belong, and every message is one run of bytes.
class Transposes {
 public:
  // A pair and wavenumber have this many doubles.
  Transposes(const Division& division, exchange::Transpose algorithm,
             const exchange::TeamPointer& team, std::int64_t doubles);

  // The doubles before the block of another rank.
  static std::int64_t block_of(const Division& division, int rank, int other, std::int64_t doubles);

  const exchange::TransposeExchange& to_columns() const { return to_columns_; }
  const exchange::TransposeExchange& to_rows() const { return to_rows_; }

 private:
  exchange::TransposeExchange to_columns_, to_rows_;
};

// Some wavenumbers of each rank, whose coefficients are summed, or shared, at once. A chunk of the
// exchange holds those of one rank.
struct Block {
  std::vector<Range> places;         // of each rank, in the order of wavenumbers
  std::vector<std::int64_t> begins;  // of each rank's coefficients in the block
  std::int64_t coefficients;         // of all ranks
  exchange::ExchangePointer sum, share;
};

// `sum_bytes` and `share_bytes` are those of one coefficient.
std::vector<Block> blocks_of(const Division& division, const Manner& manner,
                             const exchange::TeamPointer& team, const workload::Nodes& nodes,
                             std::int64_t sum_bytes, std::int64_t share_bytes);

}  // namespace phasewise::sphere
