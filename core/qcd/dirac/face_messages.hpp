// The memory of the messages with a rank's faces: what leaves, and what arrives, along each axis.
#pragma once

#include "parallel/buffer.hpp"
#include "qcd/dirac/hopping.hpp"
#include "qcd/exchange/neighbours.hpp"

namespace phasewise::qcd {

class FaceMessages {
 public:
  // site_bytes is the size of a face's site in a message. `real` says whether it has memory.
  FaceMessages(const Domain& domain, std::int64_t site_bytes, bool real);

  // Returns null without contents.
  std::byte* data() { return memory_.size() > 0 ? memory_.data() : nullptr; }
  std::int64_t bytes() const { return total_; }
  // Where the messages along an axis lie.
  Faces faces(int axis) const;
  // The number of contiguous runs of a face's sites of one parity in a field in the order (x/2, y,
  // z, t).
  std::int64_t runs(int axis) const;
  // `leaving` is what is sent towards a side (0: positive); `arrived` is what came, as the hopping
  // matrix takes it.
  std::byte* leaving(int axis, int side) { return data() + offset(axis, side == 0 ? 1 : 0); }
  ArrivedFaces arrived() const;

 private:
  std::int64_t face_bytes(int axis) const { return domain_.face(axis) / 2 * site_bytes_; }
  std::int64_t offset(int axis, int part) const;

  Domain domain_;
  std::int64_t site_bytes_, total_ = 0;
  parallel::Buffer<std::byte> memory_;
};

}  // namespace phasewise::qcd
