// Products of a matrix with few columns, which reads the left matrix where it lies: packing it
// would take longer than the product.
#pragma once

#include "linear/multiply.hpp"

namespace phasewise::linear {

// A sum over k is made in parts of this length, each of which starts from 0, in any product.
inline constexpr std::int64_t depth = 512;
// Values of A that lie in different pages are prefetched this many k ahead.
inline constexpr std::int64_t ahead = 16;
// Products with more columns pack their matrices: where the values of a column of A follow each
// other in memory, and where those of a row do and squares of A are transposed.
inline constexpr std::int64_t most_narrow = 16, most_narrow_transposed = 8;

// Whether C has few columns, the rows or the columns of A are contiguous, and so are the rows of B.
bool is_narrow(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c);

// The product of `multiply`, with sums in the same order, if is_narrow.
void multiply_narrow(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into);

}  // namespace phasewise::linear
