#include "lattice/hopping.hpp"

#include <cmath>

#include "parallel/loops.hpp"

namespace phasewise::lattice {
namespace {

// Parts of an axis in the memory of messages.
enum Part { to_before, to_behind, from_before, from_behind, parts };

// e^{iπφ}, exact for whole φ.
Complex phase_factor(double phi) {
  const double turns = phi - 2.0 * std::floor(0.5 * phi);
  if (turns == 0.0) return {1.0, 0.0};
  if (turns == 1.0) return {-1.0, 0.0};
  const double angle = turns * 3.14159265358979323846;
  return {std::cos(angle), std::sin(angle)};
}

Matrix times(Complex factor, const Matrix& u) {
  Matrix m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m.e[i][j] = add_product({}, factor, u.e[i][j]);
  return m;
}

}  // namespace

parallel::KernelCard Hopping::card() {
  // Eight links, eight spinors, which others at the same time read too, and the result.
  return {.name = "hopping", .flops = hopping_flops, .bytes = 1536.0, .vectorised = false};
}

parallel::KernelCard Hopping::pack_card() const {
  if (spinors_ == Spinors::full)
    return {.name = "faces", .flops = 0.0, .bytes = 384.0, .vectorised = false};
  // Half of them are projected alone, half multiplied by a link too.
  return {.name = "faces", .flops = 12.0 + 66.0, .bytes = 360.0, .vectorised = false};
}

std::int64_t Hopping::site_bytes() const {
  return spinors_ == Spinors::half ? static_cast<std::int64_t>(sizeof(HalfSpinor))
                                   : static_cast<std::int64_t>(sizeof(Spinor));
}

// Each part begins on a cache line of its own, and so does an axis.
std::int64_t Hopping::offset(int axis, int number) const {
  const auto padded = [&](int a) { return (domain_.face(a) / 2 * site_bytes() + 63) / 64 * 64; };
  std::int64_t at = 0;
  for (int a = 0; a < axis; ++a)
    if (domain_.split(a)) at += parts * padded(a);
  return at + number * padded(axis);
}

Hopping::Hopping(const Domain& domain, Spinors spinors, bool real)
    : domain_(domain), spinors_(spinors) {
  for (int axis = 0; axis < axes; ++axis)
    if (domain.split(axis)) total_ = offset(axis, parts);
  if (!real) return;
  messages_ = parallel::Buffer<std::byte>(total_);
  for (auto& links : links_) links = parallel::Buffer<Matrix>(axes * domain.volume() / 2);
  const Extents box = domain.extents();
  for (int parity = 0; parity < 2; ++parity)
    for (int axis = 0; axis < axes; ++axis)
      for_each_site(box, [&](const Extents& at) {
        if (parity_of(at) != parity) return;
        const auto number = static_cast<std::int32_t>(half_site_of(box, at));
        if (at[axis] == 0) face_[parity][axis][0].push_back(number);
        if (at[axis] == box[axis] - 1) face_[parity][axis][1].push_back(number);
      });
  for (int parity = 0; parity < 2; ++parity) {
    neighbours_[parity].resize(static_cast<std::size_t>(domain.volume() / 2));
    std::array<std::int32_t, 2 * axes> received{};
    for_each_site(box, [&](const Extents& at) {
      if (parity_of(at) != parity) return;
      const auto number = static_cast<std::int32_t>(half_site_of(box, at));
      bool at_edge = false;
      for (int way = 0; way < 2 * axes; ++way) {
        const int axis = way / 2, step = way % 2 == 0 ? 1 : -1;
        Extents next = at;
        next[axis] += step;
        const bool leaves = next[axis] < 0 || next[axis] == box[axis];
        next[axis] = (next[axis] + box[axis]) % box[axis];
        const bool other = leaves && domain.split(axis);
        neighbours_[parity][number].at[way] =
            other ? -1 - received[way]++ : static_cast<std::int32_t>(half_site_of(box, next));
        at_edge |= other;
      }
      (at_edge ? edge_ : inner_)[parity].push_back(number);
    });
  }
}

// Half of the sites that are not on a face.
std::int64_t Hopping::inside() const {
  Extents box = domain_.extents();
  for (int axis = 0; axis < axes; ++axis)
    if (domain_.split(axis)) box[axis] -= 2;
  return volume_of(box) / 2;
}

void Hopping::set_links(const Links& links, const std::array<double, axes>& phases) {
  const Extents box = domain_.extents();
  for (auto& parity : before_)
    for (auto& list : parity) list.clear();
  for (int axis = 0; axis < axes; ++axis) {
    const Complex factor = phase_factor(phases[axis]);
    for_each_site(box, [&](const Extents& at) {
      const bool last = domain_.origin(axis) + at[axis] == domain_.size[axis] - 1;
      const Matrix& u = links.at(at, axis);
      links_[parity_of(at)].data()[axes * half_site_of(box, at) + axis] =
          last ? times(factor, u) : u;
      if (at[axis] != 0 || !domain_.split(axis) || spinors_ == Spinors::half) return;
      Extents behind = at;
      behind[axis] = -1;
      const Matrix& v = links.at(behind, axis);
      before_[1 - parity_of(at)][axis].push_back(domain_.origin(axis) == 0 ? times(factor, v) : v);
    });
  }
}

Faces Hopping::faces(int axis) const {
  const std::int64_t bytes = domain_.face(axis) / 2 * site_bytes();
  const auto region = [&](int number) {
    return std::vector<comm::Region>{
        {.offset = offset(axis, number), .run = bytes, .repeats = nullptr}};
  };
  return {.to_before = region(to_before),
          .to_behind = region(to_behind),
          .from_before = region(from_before),
          .from_behind = region(from_behind)};
}

// Sites are in the order (x/2, y, z, t), the first fastest; of a face across x, each is alone.
std::int64_t Hopping::runs(int axis) const {
  if (axis == 0) return domain_.face(0) / 2;
  std::int64_t count = 1;
  for (int slower = axis + 1; slower < axes; ++slower) count *= domain_.extent(slower);
  return count;
}

template <int axis>
void Hopping::pack_along(int parity, const Field& in, int threads) {
  const auto& first = face_[parity][axis][0];
  const auto& last = face_[parity][axis][1];
  const auto sites = static_cast<std::int64_t>(first.size());
  const auto each = [&](auto&& write) {
    parallel::for_blocks(sites, threads, [&](std::int64_t begin, int n, int) {
      for (std::int64_t i = begin; i < begin + n; ++i) write(static_cast<std::size_t>(i));
    });
  };
  if (spinors_ == Spinors::full)
    return each([&](std::size_t i) {
      part<Spinor>(axis, to_before)[i] = in.data()[first[i]];
      part<Spinor>(axis, to_behind)[i] = in.data()[last[i]];
    });
  each([&](std::size_t i) {
    part<HalfSpinor>(axis, to_before)[i] = project<axis, true>(in.data()[first[i]]);
    const Matrix& u = links_[parity].data()[axes * last[i] + axis];
    part<HalfSpinor>(axis, to_behind)[i] =
        adjoint_times(u, project<axis, false>(in.data()[last[i]]));
  });
}

void Hopping::pack(int axis, int parity, const Field& in, int threads) {
  switch (axis) {
    case 0:
      return pack_along<0>(parity, in, threads);
    case 1:
      return pack_along<1>(parity, in, threads);
    case 2:
      return pack_along<2>(parity, in, threads);
    default:
      return pack_along<3>(parity, in, threads);
  }
}

// What came from the rank before, of a site of this parity there.
template <int axis>
HalfSpinor Hopping::before(std::int64_t face, int parity) const {
  if (spinors_ == Spinors::half) return part<HalfSpinor>(axis, from_before)[face];
  const Matrix& u = before_[parity][axis][static_cast<std::size_t>(face)];
  return adjoint_times(u, project<axis, false>(part<Spinor>(axis, from_before)[face]));
}

template <int axis>
void Hopping::add_terms(Spinor& sum, int parity, std::int64_t i, const Field& in) const {
  const Neighbours& neighbours = neighbours_[parity][static_cast<std::size_t>(i)];
  const std::int32_t forwards = neighbours.at[2 * axis], backwards = neighbours.at[2 * axis + 1];
  const Matrix& u = links_[parity].data()[axes * i + axis];
  if (forwards >= 0)
    add_projected<axis, true>(sum, u * project<axis, true>(in.data()[forwards]));
  else if (spinors_ == Spinors::half)
    add_projected<axis, true>(sum, u * part<HalfSpinor>(axis, from_behind)[-1 - forwards]);
  else
    add_projected<axis, true>(
        sum, u * project<axis, true>(part<Spinor>(axis, from_behind)[-1 - forwards]));
  if (backwards < 0)
    return add_projected<axis, false>(sum, before<axis>(-1 - backwards, 1 - parity));
  const Matrix& v = links_[1 - parity].data()[axes * backwards + axis];
  add_projected<axis, false>(sum, adjoint_times(v, project<axis, false>(in.data()[backwards])));
}

Spinor Hopping::site(int parity, std::int64_t i, const Field& in) const {
  Spinor sum{};
  add_terms<0>(sum, parity, i, in);
  add_terms<1>(sum, parity, i, in);
  add_terms<2>(sum, parity, i, in);
  add_terms<3>(sum, parity, i, in);
  return sum;
}

void Hopping::all(int parity, Field& out, const Field& in, int threads) const {
  parallel::for_blocks(domain_.volume() / 2, threads, [&](std::int64_t begin, int n, int) {
    for (std::int64_t i = begin; i < begin + n; ++i) out.data()[i] = site(parity, i, in);
  });
}

namespace {

template <class F>
void for_each_of(const std::vector<std::int32_t>& sites, int threads, F&& f) {
  parallel::for_blocks(static_cast<std::int64_t>(sites.size()), threads,
                       [&](std::int64_t begin, int n, int) {
                         for (std::int64_t i = begin; i < begin + n; ++i)
                           f(sites[static_cast<std::size_t>(i)]);
                       });
}

}  // namespace

void Hopping::inner(int parity, Field& out, const Field& in, int threads) const {
  for_each_of(inner_[parity], threads,
              [&](std::int32_t i) { out.data()[i] = site(parity, i, in); });
}

void Hopping::edge(int parity, Field& out, const Field& in, int threads) const {
  for_each_of(edge_[parity], threads, [&](std::int32_t i) { out.data()[i] = site(parity, i, in); });
}

}  // namespace phasewise::lattice
