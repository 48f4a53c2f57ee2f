// The product of dense matrices, C = A B or C += A B: panels of A and B are packed into contiguous
// memory, and a block of C stays in registers while it is summed. Goto, van de Geijn, ACM Trans.
// Math. Softw. 34 (2008) 12; Van Zee, van de Geijn, ibid. 41 (2015) 14.
#pragma once

#include "linear/matrix.hpp"
#include "parallel/buffer.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::linear {

enum class Into { set, add };  // C = A B, C += A B

// One item is a product of square matrices with n rows, 2 n³ flops. The bytes are A, B and C once,
// and C once more, since its lines are read before they are written.
parallel::KernelCard multiply_card(double n);
// The plain loops read a row of A and a column of B for each element of C.
parallel::KernelCard plain_multiply_card(double n);

// Packed panels, whose memory is kept from one product to the next.
struct Panels {
  parallel::Buffer<double> a, b;
};

// Each element of C is summed over k in the same order, whatever the shapes of the matrices.
// Strides are free, but C must not overlap itself; C with contiguous rows or columns is fastest.
// Throws std::bad_alloc.
void multiply(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into,
              Panels& panels);

// The same by definition: a loop over k for each element of C.
void plain_multiply(const ConstMatrix& a, const ConstMatrix& b, const Matrix& c, Into into);

}  // namespace phasewise::linear
