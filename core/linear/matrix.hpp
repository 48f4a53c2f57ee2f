// A dense matrix anywhere in memory, with any strides, so that a transpose is a view too.
#pragma once

#include <cstdint>

namespace phasewise::linear {

template <class T>
struct View {
  T* data = nullptr;
  std::int64_t rows = 0, columns = 0;
  std::int64_t row_stride = 0, column_stride = 1;  // values from one row, or column, to the next

  T& operator()(std::int64_t row, std::int64_t column) const {
    return data[row * row_stride + column * column_stride];
  }
  View transposed() const { return {data, columns, rows, column_stride, row_stride}; }
  View part(std::int64_t row, std::int64_t column, std::int64_t height, std::int64_t width) const {
    return {&(*this)(row, column), height, width, row_stride, column_stride};
  }
};

using Matrix = View<double>;
using ConstMatrix = View<const double>;

inline ConstMatrix constant(const Matrix& m) {
  return {m.data, m.rows, m.columns, m.row_stride, m.column_stride};
}
inline Matrix row_major(double* data, std::int64_t rows, std::int64_t columns) {
  return {data, rows, columns, columns, 1};
}
inline ConstMatrix row_major(const double* data, std::int64_t rows, std::int64_t columns) {
  return {data, rows, columns, columns, 1};
}

}  // namespace phasewise::linear
