#include "sphere/spherical_transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "parallel/loops.hpp"
#include "sphere/spectral.hpp"
#include "sphere/workload.hpp"

namespace phasewise::sphere {
namespace {

constexpr int most_fields = 2;

}  // namespace

SphericalTransform::SphericalTransform(const workload::Parameters& parameters, int threads,
                                       double norm, bool phase)
    : description_(parameters),
      session_(std::make_unique<workload::Session>(parameters, threads)),
      live_(*session_),
      norm_(norm),
      phase_(phase) {
  parameters.check_all_used();
  check_manner(description_, session_->world.size());
  session_->set_teams({{session_->team, 0}});
  transforms_ = std::make_unique<Transforms>(description_, session_->nodes, session_->team,
                                             workload::Contents::real, threads, most_fields);
  const auto [first, last] = transforms_->places();
  const std::vector<int>& order = transforms_->division().order();
  wavenumbers_.assign(order.begin() + first, order.begin() + last);
  std::ranges::sort(wavenumbers_);
  begins_.resize(wavenumbers_.size());
  for (const int m : wavenumbers_) {
    const auto place = std::find(order.begin() + first, order.begin() + last, m);
    begins_[place - order.begin() - first] = coefficients_;
    coefficients_ += description_.truncation - m + 1;
  }
  const std::int64_t width = ColumnLayout{most_fields, description_.levels}.width();
  for (int thread = 0; thread < threads; ++thread)
    rows_.emplace_back((description_.truncation + 3) * width);
  grid_ = parallel::Buffer<Complex>(most_fields * size_of(transforms_->pairs()) *
                                    transforms_->rows().size());
}

std::vector<int> SphericalTransform::latitudes() const {
  const auto [first, last] = transforms_->pairs();
  std::vector<int> result;
  for (int pair = first; pair < last; ++pair) result.push_back(pair);
  for (int pair = last; pair-- > first;) result.push_back(description_.latitudes - 1 - pair);
  return result;
}

std::int64_t SphericalTransform::points() const {
  return std::int64_t{2} * size_of(transforms_->pairs()) * description_.longitudes;
}

// Ours has ∫ P² dμ = 1: Y = P e^{imλ} sqrt(norm / 2π).
double SphericalTransform::factor_of(int place) const {
  const int m = transforms_->division().order()[place];
  const double factor = std::sqrt(2.0 * std::numbers::pi / norm_);
  return phase_ && m % 2 == 1 ? -factor : factor;
}

std::int64_t SphericalTransform::row_of(int level, int pair, int side) const {
  const auto [first, last] = transforms_->pairs();
  const int latitude = side == 0 ? pair - first : 2 * last - first - 1 - pair;
  return level * points() + std::int64_t{latitude} * description_.longitudes;
}

void SphericalTransform::fill(const double* field, int pair, double factor, Complex* rows) const {
  const RowLayout& layout = transforms_->rows();
  for (int level = 0; level < layout.levels; ++level) {
    const double* north = field + row_of(level, pair, 0);
    const double* south = field + row_of(level, pair, 1);
    Complex* row = rows + level * layout.stride;
    for (int i = 0; i < layout.longitudes; ++i) row[i] = {factor * north[i], factor * south[i]};
  }
}

void SphericalTransform::spill(const Complex* rows, int pair, double factor, double* field) const {
  const RowLayout& layout = transforms_->rows();
  for (int level = 0; level < layout.levels; ++level) {
    double* north = field + row_of(level, pair, 0);
    double* south = field + row_of(level, pair, 1);
    const Complex* row = rows + level * layout.stride;
    for (int i = 0; i < layout.longitudes; ++i) {
      north[i] = factor * row[i].real();
      south[i] = factor * row[i].imag();
    }
  }
}

template <class F>
void SphericalTransform::for_places(const parallel::KernelCard& card, F&& f) {
  const Range places = transforms_->places();
  live_.kernel(card, transforms_->functions_of(places), [&] {
    parallel::for_tasks(size_of(places), transforms_->threads(),
                        [&](int task, int thread) { f(places.first + task, thread); });
  });
}

// Sums of all pairs: [0, the columns' pairs).
void SphericalTransform::analyse(const double* field, Complex* coefficients, bool adjoint) {
  transforms_->forward(
      live_, 1, [&](int pair, int, Complex* rows, int) { fill(field, pair, 1.0, rows); },
      adjoint ? Weights::ones : Weights::gaussian);
  const int levels = description_.levels, top = description_.truncation;
  for_places(analysis_of_fields_card(description_, 1), [&](int place, int thread) {
    double* rows = rows_[thread].data();
    transforms_->analyse(place, transforms_->functions(place, thread), {0, description_.pairs()}, 1,
                         rows, thread);
    // An adjoint takes the factor of the functions, an analysis that of the coefficients.
    const double own = factor_of(place), factor = adjoint ? 1.0 / own : own;
    const int m = transforms_->division().order()[place];
    for (int l = m; l <= top; ++l, rows += 2 * levels)
      for (int level = 0; level < levels; ++level)
        coefficients[level * coefficients_ + begin_of(place) + l - m] = {
            factor * rows[level], factor * rows[levels + level]};
  });
}

void SphericalTransform::synthesise(const Complex* coefficients, double* field) {
  const int levels = description_.levels, top = description_.truncation;
  for_places(synthesis_card(description_, 1), [&](int place, int thread) {
    double* rows = rows_[thread].data();
    const double factor = 1.0 / factor_of(place);
    const int m = transforms_->division().order()[place];
    for (int l = m; l <= top; ++l)
      for (int level = 0; level < levels; ++level) {
        const Complex value = coefficients[level * coefficients_ + begin_of(place) + l - m];
        double* row = rows + (l - m) * 2 * levels;
        row[level] = factor * value.real();
        row[levels + level] = factor * value.imag();
      }
    std::fill_n(rows + (top + 1 - m) * 2 * levels, 2 * levels, 0.0);
    transforms_->synthesise(place, rows, 1, thread);
  });
  backward(1, &field, false);
}

void SphericalTransform::backward(int fields, double* const* to, bool over_cosine) {
  const auto [first, last] = transforms_->pairs();
  const std::int64_t size = transforms_->rows().size();
  const auto rows_of = [&](int pair, int field) {
    return grid_.data() + (std::int64_t{field} * (last - first) + pair - first) * size;
  };
  transforms_->backward(live_, fields,
                        [&](int pair, int field, int) { return rows_of(pair, field); });
  parallel::for_tasks(last - first, transforms_->threads(), [&](int task, int) {
    const int pair = first + task;
    const double factor = over_cosine ? 1.0 / cosine_of(transforms_->latitudes().sine[pair]) : 1.0;
    for (int field = 0; field < fields; ++field)
      spill(rows_of(pair, field), pair, factor, to[field]);
  });
}

void SphericalTransform::winds(const Complex* vorticity, const Complex* divergence, double* u,
                               double* v) {
  const int levels = description_.levels, top = description_.truncation;
  for_places(synthesis_card(description_, 2), [&](int place, int thread) {
    const double factor = 1.0 / factor_of(place);
    const int m = transforms_->division().order()[place];
    std::vector<double> state((top - m + 1) * state_width(levels));
    for (int l = m; l <= top; ++l)
      for (int level = 0; level < levels; ++level) {
        const std::int64_t at = level * coefficients_ + begin_of(place) + l - m;
        double* row = state.data() + (l - m) * state_width(levels);
        row[level] = factor * vorticity[at].real();
        row[levels + level] = factor * vorticity[at].imag();
        row[2 * levels + level] = factor * divergence[at].real();
        row[3 * levels + level] = factor * divergence[at].imag();
      }
    winds_of_state(description_, m, state.data(), rows_[thread].data());
    transforms_->synthesise(place, rows_[thread].data(), 2, thread);
  });
  double* const to[] = {u, v};
  backward(2, to, true);
}

void SphericalTransform::curl(const double* u, const double* v, Complex* vorticity,
                              Complex* divergence) {
  // A and B of the tendencies whose curl and divergence are those of the winds (tendencies.hpp).
  transforms_->forward(live_, 2, [&](int pair, int field, Complex* rows, int) {
    const double factor = 1.0 / cosine_of(transforms_->latitudes().sine[pair]);
    fill(field == 0 ? v : u, pair, field == 0 ? -factor : factor, rows);
  });
  const int levels = description_.levels, top = description_.truncation;
  for_places(analysis_of_fields_card(description_, 2), [&](int place, int thread) {
    double* rows = rows_[thread].data();
    transforms_->analyse(place, transforms_->functions(place, thread), {0, description_.pairs()}, 2,
                         rows, thread);
    const int m = transforms_->division().order()[place];
    std::vector<double> state((top - m + 1) * std::int64_t{4} * levels);
    state_of_winds(description_, m, rows, state.data());
    const double factor = factor_of(place);
    const double* row = state.data();
    for (int l = m; l <= top; ++l, row += std::int64_t{4} * levels)
      for (int level = 0; level < levels; ++level) {
        const std::int64_t at = level * coefficients_ + begin_of(place) + l - m;
        vorticity[at] = {factor * row[level], factor * row[levels + level]};
        divergence[at] = {factor * row[2 * levels + level], factor * row[3 * levels + level]};
      }
  });
}

}  // namespace phasewise::sphere
