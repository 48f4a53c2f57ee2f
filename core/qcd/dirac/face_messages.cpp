#include "qcd/dirac/face_messages.hpp"

#include "parallel/cache_line.hpp"

namespace phasewise::qcd {
namespace {

// The parts of an axis.
enum Part { to_before, to_behind, from_before, from_behind, parts };

}  // namespace

FaceMessages::FaceMessages(const Domain& domain, std::int64_t site_bytes, bool real)
    : domain_(domain), site_bytes_(site_bytes) {
  for (int axis = 0; axis < axes; ++axis)
    if (domain.split(axis)) total_ = offset(axis, parts);
  if (real) memory_ = parallel::Buffer<std::byte>(total_);
}

// Each part begins on a cache line of its own.
std::int64_t FaceMessages::offset(int axis, int part) const {
  const auto padded = [&](int a) { return parallel::whole_lines(face_bytes(a)); };
  std::int64_t at = 0;
  for (int a = 0; a < axis; ++a)
    if (domain_.split(a)) at += parts * padded(a);
  return at + part * padded(axis);
}

Faces FaceMessages::faces(int axis) const {
  const auto region = [&](int part) {
    return std::vector<exchange::Region>{
        {.offset = offset(axis, part), .run = face_bytes(axis), .repeats = nullptr}};
  };
  return {.to_before = region(to_before),
          .to_behind = region(to_behind),
          .from_before = region(from_before),
          .from_behind = region(from_behind)};
}

// In a face across x each site is a run of its own.
std::int64_t FaceMessages::runs(int axis) const {
  if (axis == 0) return domain_.face(0) / 2;
  std::int64_t count = 1;
  for (int slower = axis + 1; slower < axes; ++slower) count *= domain_.extent(slower);
  return count;
}

ArrivedFaces FaceMessages::arrived() const {
  ArrivedFaces faces{};
  for (int axis = 0; axis < axes; ++axis)
    if (domain_.split(axis)) {
      faces[axis][0] = memory_.data() + offset(axis, from_behind);
      faces[axis][1] = memory_.data() + offset(axis, from_before);
    }
  return faces;
}

}  // namespace phasewise::qcd
