// What solvers ask of the other ranks: faces of fields, and sums.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "lattice/hopping.hpp"

namespace phasewise::lattice {

class Outside {
 public:
  // Packs the face towards a side of an axis.
  using Pack = std::function<void(int axis, int side, std::byte* face)>;

  virtual ~Outside() = default;
  // Faces of all split axes, of bytes[axis] each, leave; then those of the neighbours are here,
  // until the next start.
  virtual void start_faces(const std::array<std::int64_t, axes>& bytes, const Pack& pack) = 0;
  virtual const ArrivedFaces& finish_faces() = 0;
  // Adds up over all ranks, by name of the phase. Partial sums are exact.
  virtual void sum(std::string_view phase, std::span<double> values) = 0;
};

// One rank alone; split axes see its own opposite faces.
class OneRank final : public Outside {
 public:
  void start_faces(const std::array<std::int64_t, axes>& bytes, const Pack& pack) override {
    for (int axis = 0; axis < axes; ++axis)
      for (int side = 0; side < 2 && bytes[axis] > 0; ++side) {
        auto& face = kept_[axis][side];
        face.resize(static_cast<std::size_t>(bytes[axis]));
        pack(axis, side, face.data());
        faces_[axis][1 - side] = face.data();
      }
  }
  const ArrivedFaces& finish_faces() override { return faces_; }
  void sum(std::string_view, std::span<double>) override {}

 private:
  std::array<std::array<std::vector<std::byte>, 2>, axes> kept_;
  ArrivedFaces faces_{};
};

}  // namespace phasewise::lattice
