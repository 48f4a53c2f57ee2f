#include "qcd/dirac/smearing.hpp"

#include <cmath>

#include "qcd/dirac/spin.hpp"
#include "qcd/phases.hpp"
#include "workload/exact_sum.hpp"

namespace phasewise::qcd {
namespace {

using workload::Listener;

constexpr int space = 3;  // axes

// One item is a site: six products of matrices and their sum.
constexpr parallel::KernelCard smear_card{
    .name = "smear", .flops = 6.0 * 216.0, .bytes = 8.0 * 144.0, .vectorised = false};
constexpr parallel::KernelCard lengths_card{
    .name = "lengths", .flops = 36.0, .bytes = 144.0, .vectorised = true};

Extents beside(Extents site, int axis, int steps) {
  site[axis] += steps;
  return site;
}

// sum + factor a.
void add_scaled(Matrix& sum, double factor, const Matrix& a) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      sum.e[i][j].re = std::fma(factor, a.e[i][j].re, sum.e[i][j].re);
      sum.e[i][j].im = std::fma(factor, a.e[i][j].im, sum.e[i][j].im);
    }
}

}  // namespace

SmearedSource::SmearedSource(const Position& position, const Smearing& smearing,
                             const Extents& point, int threads, bool real)
    : position_(position),
      smearing_(smearing),
      point_(point),
      threads_(threads),
      box_(position.domain(), 1, sizeof(Matrix), space),
      along_(space) {
  if (smearing.iterations == 0) return;
  for (int axis = 0; axis < space; ++axis)
    if (box_.has(axis))
      along_[static_cast<std::size_t>(axis)] =
          face_exchange(position, phases::smear[axis], axis, box_.faces(axis), Regions::together,
                        exchange::common_channel, exchange::Protocol::irecv_isend);
  if (!real) return;
  field_ = parallel::Buffer<Matrix>(box_.sites());
  next_ = parallel::Buffer<Matrix>(box_.sites());
}

exchange::Exchanges SmearedSource::exchanges() const { return along_; }

void SmearedSource::set_point() {
  std::fill_n(field_.data(), field_.size(), Matrix{});
  const Domain& domain = box_.domain();
  Extents local{};
  for (int axis = 0; axis < axes; ++axis) {
    local[axis] = point_[axis] - domain.origin(axis);
    if (local[axis] < 0 || local[axis] >= domain.extent(axis)) return;
  }
  field_.data()[box_.index(local)] = Matrix::one();
}

void SmearedSource::step(const Links& links) {
  const double factor = smearing_.width * smearing_.width / (4.0 * smearing_.iterations);
  const std::vector<Extents> sites = sites_in(box_.domain().extents());
  parallel::for_blocks(
      static_cast<std::int64_t>(sites.size()), threads_, [&](std::int64_t begin, int n, int) {
        for (std::int64_t i = begin; i < begin + n; ++i) {
          const Extents& at = sites[static_cast<std::size_t>(i)];
          Matrix sum;
          add_scaled(sum, 1.0 - 6.0 * factor, field_.data()[box_.index(at)]);
          for (int axis = 0; axis < space; ++axis) {
            const Extents ahead = beside(at, axis, 1), behind = beside(at, axis, -1);
            add_scaled(sum, factor, links.at(at, axis) * field_.data()[box_.index(ahead)]);
            add_scaled(sum, factor,
                       adjoint(links.at(behind, axis)) * field_.data()[box_.index(behind)]);
          }
          next_.data()[box_.index(at)] = sum;
        }
      });
  std::swap(field_, next_);
}

void SmearedSource::tell(const Links& links, Listener& listener) {
  if (smearing_.iterations == 0) return;
  const auto volume = static_cast<double>(box_.domain().volume());
  listener.kernel(smear_card, 0.0, [&] { set_point(); });
  for (int iteration = 0; iteration < smearing_.iterations; ++iteration) {
    for (const exchange::ExchangePointer& exchange : along_) {
      if (!exchange) continue;
      listener.start(exchange::common_channel, [&](exchange::Works& works) {
        const exchange::ItemBuffer buffer(reinterpret_cast<std::byte*>(field_.data()),
                                          box_.bytes());
        works.push_back({exchange::lent(exchange), buffer, buffer});
      });
      listener.finish(exchange::common_channel);
    }
    listener.kernel(smear_card, volume, [&] { step(links); });
  }
  // Each step multiplies lengths by at most this factor.
  const double factor = smearing_.width * smearing_.width / (4.0 * smearing_.iterations);
  const double most = std::pow(std::fabs(1.0 - 6.0 * factor) + 6.0 * factor, smearing_.iterations);
  std::array<workload::Parts, 3> parts{};
  listener.kernel(lengths_card, volume, [&] {
    const std::vector<Extents> sites = sites_in(box_.domain().extents());
    for (int colour = 0; colour < 3; ++colour)
      parts[colour] = workload::exact_sum(
          box_.domain().volume(), threads_, 1.001 * most * most, volume_of(box_.domain().size),
          [&](std::int64_t i) {
            const Matrix& at = field_.data()[box_.index(sites[static_cast<std::size_t>(i)])];
            return norm(at.e[0][colour]) + norm(at.e[1][colour]) + norm(at.e[2][colour]);
          });
  });
  listener.sum(phases::sum_source, std::span(parts.front().data(), 2 * parts.size()));
  // Without contents there is no sum.
  for (int colour = 0; colour < 3; ++colour)
    if (field_.size() > 0) lengths_[colour] = std::sqrt(workload::value_of(parts[colour]));
}

std::vector<double> SmearedSource::spinors(int spin, int colour) const {
  const Domain& domain = box_.domain();
  std::vector<double> plain(static_cast<std::size_t>(domain.volume() * spinor_reals));
  if (field_.size() == 0) return plain;
  for_each_site(domain.extents(), [&](const Extents& at) {
    const Matrix& column = field_.data()[box_.index(at)];
    double* to = plain.data() + site_of(domain.extents(), at) * spinor_reals + spin * 6;
    for (int i = 0; i < 3; ++i) {
      to[2 * i] = column.e[i][colour].re;
      to[2 * i + 1] = column.e[i][colour].im;
    }
  });
  return plain;
}

}  // namespace phasewise::qcd
