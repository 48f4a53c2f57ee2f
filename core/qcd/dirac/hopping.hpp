// The hopping matrix of Wilson quarks from the sites of one parity to those of the other,
//   (H ψ)(x) = Σ_µ (1 - γ_µ) U_µ(x) ψ(x + µ̂) + (1 + γ_µ) U_µ†(x - µ̂) ψ(x - µ̂).
// In H†, 1 + γ_µ and 1 - γ_µ are exchanged. The eight terms of a site are added in the order x+,
// x-, y+, …, t-, each by the same operations, so that their bits depend neither on the box nor on
// the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "parallel/kernel.hpp"
#include "parallel/loops.hpp"
#include "qcd/dirac/third_row.hpp"
#include "qcd/gauge/links.hpp"
#include "qcd/geometry.hpp"
#include "qcd/row_tasks.hpp"

namespace phasewise::qcd {

// fast: vectors of sites. plain: simple loops over colour, spin, x/2, y, z, t.
enum class Kernel : std::uint8_t { fast, plain };

// What a face sends. half: the two components of a projected spinor, to which the rank on the
// negative side has already applied U†. full: whole spinors.
enum class FaceSpinors : std::uint8_t { half, full };

struct HoppingShape {
  Extents box{};                   // this rank's, with even extents
  std::array<bool, axes> split{};  // the axes along which other ranks have the neighbours
  FaceSpinors spinors = FaceSpinors::half;
  int threads = 1;
  // Without it, links are used as given. With it, their third rows are recomputed, so that results
  // have the same bits whether the third rows are kept or not.
  std::optional<ThirdRow> third_row{};
  bool two_rows = false;  // keeps 12 reals of a link instead of 18; only in the fast kernel
};

// The faces that arrived: [axis][0] from the positive side, [axis][1] from the negative one.
using ArrivedFaces = std::array<std::array<const std::byte*, 2>, axes>;

// A field of one parity has 24 V/2 reals, in the order of the kernel.
template <class Real>
class Hopping {
 public:
  static std::unique_ptr<Hopping> make(Kernel kernel, const HoppingShape& shape);
  explicit Hopping(const HoppingShape& shape) : shape_(shape) {}
  virtual ~Hopping() = default;
  Hopping(const Hopping&) = delete;
  Hopping& operator=(const Hopping&) = delete;

  // Takes the links with these factors. They have a halo along axes that are split in their domain.
  virtual void set_links(const Links& links, const LinkFactors& factors) = 0;
  // Convert from and to [site][spin][colour][re, im] of the whole box; the sites of the other
  // parity are not touched.
  virtual void read_spinors(const double* plain, int parity, Real* field) const = 0;
  virtual void write_spinors(const Real* field, int parity, double* plain) const = 0;

  // Packs the face towards `side` (0: positive) of a field of parity 1 - to, in the order of
  // face_site_of.
  virtual void pack(int to, int axis, int side, bool dagger, const Real* from,
                    std::byte* face) const = 0;
  // `interior` computes the sites whose neighbours are all on this rank; one thread may leave them
  // to the others at first and do `beside`. `boundary` then computes the other sites.
  virtual void interior(int to, bool dagger, const Real* from, Real* result,
                        const Beside& beside) const = 0;
  virtual void boundary(int to, bool dagger, const Real* from, const ArrivedFaces& faces,
                        Real* result) const = 0;

  // A field is [vector][spin][colour][re, im][lane]; the plain kernel has one lane.
  virtual int lanes() const = 0;
  // The place of a site's first component among the reals of its parity's field.
  virtual std::int64_t place(const Extents& at) const = 0;
  const HoppingShape& shape() const { return shape_; }
  std::int64_t field_reals() const { return volume_of(shape_.box) / 2 * 24; }
  std::int64_t face_bytes(int axis) const {
    const std::int64_t reals = shape_.spinors == FaceSpinors::half ? 12 : 24;
    return volume_of(shape_.box) / shape_.box[axis] / 2 * reals *
           static_cast<std::int64_t>(sizeof(Real));
  }

 private:
  HoppingShape shape_;
};

// A site reads 8 links of 18 or 12 reals and one spinor, as the neighbours are found in a cache
// again, and writes one spinor. The 8 x 48 flops that recompute third rows are not counted.
template <class Real>
constexpr parallel::KernelCard hopping_card(bool two_rows) {
  return {.name = sizeof(Real) == 8 ? "hopping" : "hopping_single",
          .flops = 1320.0,
          .bytes = (two_rows ? 144.0 : 192.0) * sizeof(Real),
          .vectorised = true,
          .single = sizeof(Real) == 4};
}

// A site's four links are read twice, and stored for itself and for the sites behind it.
template <class Real>
constexpr parallel::KernelCard take_links_card(bool two_rows) {
  return {.name = sizeof(Real) == 8 ? "take_links" : "take_links_single",
          .flops = 8.0 * 9.0 * 8.0,
          .bytes = 2.0 * 576.0 + 8.0 * (two_rows ? 12.0 : 18.0) * sizeof(Real),
          .vectorised = true};
}

}  // namespace phasewise::qcd
