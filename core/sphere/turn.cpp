#include "sphere/turn.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "parallel/loops.hpp"
#include "sphere/phases.hpp"

namespace phasewise::sphere {
namespace {

// The real numbers of the rows of a level.
double* reals(Complex* row) { return reinterpret_cast<double*>(row); }

}  // namespace

std::vector<workload::Piece> pieces_of() {
  using Kind = workload::Piece::Kind;
  return {{.name = pieces::start, .kind = Kind::data_dependent, .per = "start", .first = 1.0},
          {.name = pieces::restored, .kind = Kind::data_dependent, .per = "start"},
          {.name = pieces::step}};
}

Turn::Turn(const Description& description, const workload::Nodes& nodes,
           const exchange::TeamPointer& team, workload::Contents contents, int threads)
    : description_(description),
      nodes_(nodes),
      team_(team),
      contents_(contents),
      threads_(threads),
      mean_geopotential_(description.levels) {
  make_transforms();
  make_fields();
  if (contents == workload::Contents::none) return;
  const std::int64_t size = coefficients_->count() * state_width(description.levels);
  for (State* state : {&old_, &new_, &next_, &tendency_}) *state = State(size);
}

// Divides the coefficients among the ranks. What was measured stays, and so does a table of
// functions that is still of use.
void Turn::make_transforms() {
  const Measured measured = invariants_ ? invariants_->measured() : Measured{};
  coefficients_ = std::make_unique<CoefficientTransforms>(
      description_, nodes_, team_, contents_, threads_, coefficients_ ? &transforms() : nullptr);
  if (contents_ == workload::Contents::real) {
    case_.emplace(description_, transforms().latitudes());
    spare_.clear();
    for (int thread = 0; thread < threads_; ++thread)
      spare_.emplace_back(transforms().rows().size());
  }
  const bool first = invariants_ == nullptr;
  invariants_ = std::make_unique<Invariants>(description_, nodes_, team_, transforms().latitudes(),
                                             case_ ? &*case_ : nullptr);
  if (!first) invariants_->keep(measured);
}

// Divides the grid, and fills it with the fields of the start.
void Turn::make_fields() {
  fields_ = std::make_unique<GridFields>(transforms().rows(), transforms().pairs());
  if (contents_ == workload::Contents::real) {
    fields_->allocate();
    fill_initial_fields();
  }
  ground_is_missing_ = description_.test == Case::file;
}

exchange::Exchanges Turn::exchanges() const {
  exchange::Exchanges result = invariants_->exchanges();
  for (const Block& block : coefficients_->blocks()) {
    result.push_back(block.sum);
    result.push_back(block.share);
  }
  return result;
}

void Turn::exchange_as(const Manner& manner) {
  const Manner& now = description_.manner;
  const bool alike = now.distributed() == manner.distributed() && now.padding == manner.padding;
  if (fields_were_set_ && !alike)
    throw std::invalid_argument(
        "the fields of a file are on the ranks, and communication.legendre and "
        "communication.padding cannot divide them anew before the first timestep");
  description_.manner = manner;
  make_transforms();
  if (alike) return;
  // The fields of the last timestep stay until the next one begins.
  grid_is_divided_as_before_ = true;
  if (timesteps_ == 0) settle();
}

void Turn::settle() {
  if (!std::exchange(grid_is_divided_as_before_, false)) return;
  make_fields();
  grid_is_missing_ = contents_ == workload::Contents::real && timesteps_ > 0;
}

void Turn::resume_at(std::int64_t timesteps) {
  timesteps_ = timesteps;
  grid_is_missing_ = timesteps > 0;
}

void Turn::tell(const workload::Piece& piece, Listener& listener) {
  if (piece.name == pieces::start) {
    start(listener);
  } else if (piece.name == pieces::restored) {
    synthesise(listener, false);
    grid_is_missing_ = false;
  } else {
    step(listener);
  }
}

void Turn::fill_initial_fields() {
  const GaussianPairs& latitudes = transforms().latitudes();
  const RowLayout& rows = fields_->rows;
  parallel::for_tasks(size_of(fields_->pairs), threads_, [&](int task, int) {
    const int pair = fields_->pairs.first + task;
    const double sine = latitudes.sine[pair], cosine = cosine_of(sine);
    for (int level = 0; level < description_.levels; ++level)
      for (int i = 0; i < rows.longitudes; ++i) {
        const std::int64_t at = level * rows.stride + i, surface = fields_->surface_row(pair) + i;
        double u[2], v[2], depth[2], ground[2], coriolis[2];
        for (int side = 0; side < 2; ++side) {
          const Point point{2 * pair + side, side == 0 ? sine : -sine,
                            2.0 * std::numbers::pi * i / rows.longitudes};
          const PointFields f = case_->at(point, level);
          u[side] = cosine * f.u;
          v[side] = cosine * f.v;
          depth[side] = f.depth;
          ground[side] = f.ground;
          coriolis[side] = case_->coriolis(point);
        }
        fields_->at(grid::u, pair)[at] = {u[0], u[1]};
        fields_->at(grid::v, pair)[at] = {v[0], v[1]};
        fields_->at(grid::geopotential, pair)[at] = {description_.gravity * depth[0],
                                                     description_.gravity * depth[1]};
        fields_->ground[surface] = {ground[0], ground[1]};
        fields_->coriolis[surface] = {coriolis[0], coriolis[1]};
      }
  });
}

// From the fields at the start to the coefficients, whose vorticity goes to the grid; winds and
// depth stay as they are there. Then half a step forward.
void Turn::start(Listener& listener) {
  fields_were_set_ = false;
  coefficients_->analyse(
      listener, Meaning::initial,
      [&](int pair, int field, Complex* rows) { fill_initial_products(pair, field, rows); },
      tendency_);
  std::swap(new_, tendency_);
  find_mean(listener);
  synthesise(listener, true);
  find_tendency(listener);
  std::swap(old_, new_);
  const std::int64_t size = old_.size();
  std::copy_n(old_.data(), size, new_.data());
  advance(listener, 0.5 * description_.timestep);
  std::swap(new_, next_);
  synthesise(listener, false);
}

// The mean geopotential is the coefficient of m = l = 0, over sqrt(2). It leaves the coefficients
// and the grid.
void Turn::find_mean(Listener& listener) {
  const int levels = description_.levels;
  std::vector<double> mean(levels);
  if (contents_ == workload::Contents::real && transforms().places().first == 0) {
    double* first = new_.data() + std::int64_t{2} * state::geopotential * levels;
    for (int level = 0; level < levels; ++level) {
      mean[level] = first[level] * std::numbers::sqrt2 / 2.0;
      if (!description_.advects()) first[level] = 0.0;
    }
  }
  listener.sum(phases::invariants, mean, team_);
  if (contents_ == workload::Contents::none || description_.advects()) return;
  mean_geopotential_ = mean;
  const RowLayout& rows = fields_->rows;
  for (int pair = fields_->pairs.first; pair < fields_->pairs.second; ++pair)
    for (int level = 0; level < levels; ++level) {
      double* row = reals(fields_->at(grid::geopotential, pair) + level * rows.stride);
      for (int i = 0; i < 2 * rows.longitudes; ++i) row[i] -= mean[level];
    }
}

void Turn::fill_initial_products(int pair, int field, Complex* rows) const {
  const RowLayout& layout = fields_->rows;
  const double sine = transforms().latitudes().sine[pair];
  const double scale = 1.0 / cosine_squared(sine);
  for (int level = 0; level < layout.levels; ++level) {
    const std::int64_t at = level * layout.stride;
    double* to = reals(rows + at);
    const auto copy = [&](int from, double factor) {
      const double* values = reals(fields_->at(from, pair) + at);
      for (int i = 0; i < 2 * layout.longitudes; ++i) to[i] = factor * values[i];
    };
    if (field == products::a)
      copy(grid::v, -scale);
    else if (field == products::b)
      copy(grid::u, scale);
    else if (field == products::c)
      copy(grid::geopotential, 1.0);
    else
      std::fill_n(to, 2 * layout.longitudes, 0.0);
  }
}

void Turn::fill_products(int pair, int field, Complex* rows) const {
  const RowLayout& layout = fields_->rows;
  const double sine = transforms().latitudes().sine[pair];
  const double scale = 1.0 / cosine_squared(sine), g = description_.gravity;
  const int n = 2 * layout.longitudes;
  const double* coriolis = reals(fields_->coriolis.data() + fields_->surface_row(pair));
  const double* ground = reals(fields_->ground.data() + fields_->surface_row(pair));
  for (int level = 0; level < layout.levels; ++level) {
    const std::int64_t at = level * layout.stride;
    const double* u = reals(fields_->at(grid::u, pair) + at);
    const double* v = reals(fields_->at(grid::v, pair) + at);
    double* to = reals(rows + at);
    if (field == products::k) {
      for (int i = 0; i < n; ++i) to[i] = 0.5 * scale * (u[i] * u[i] + v[i] * v[i]) + g * ground[i];
      continue;
    }
    const double* wind = field == products::a || field == products::c ? u : v;
    if (field == products::a || field == products::b) {
      const double* vorticity = reals(fields_->at(grid::vorticity, pair) + at);
      for (int i = 0; i < n; ++i) to[i] = scale * wind[i] * (vorticity[i] + coriolis[i]);
    } else {
      const double* geopotential = reals(fields_->at(grid::geopotential, pair) + at);
      for (int i = 0; i < n; ++i) to[i] = scale * wind[i] * geopotential[i];
    }
  }
}

void Turn::find_tendency(Listener& listener) {
  coefficients_->analyse(
      listener, Meaning::tendencies,
      [&](int pair, int field, Complex* rows) { fill_products(pair, field, rows); }, tendency_);
}

void Turn::synthesise(Listener& listener, bool vorticity_only) {
  coefficients_->synthesise(listener, new_, [&](int pair, int field, int thread) {
    if (vorticity_only && field != grid::vorticity) return spare_[thread].data();
    return fields_->at(field, pair);
  });
}

// From `old` over a step with the tendency of `new`, into `next`.
void Turn::advance(Listener& listener, double step) {
  const auto [first, last] = transforms().places();
  const double coefficients = static_cast<double>(coefficients_->count()) * description_.levels;
  listener.kernel(advance_card(), coefficients, [&] {
    parallel::for_tasks(last - first, threads_, [&](int task, int) {
      const int place = first + task;
      const std::int64_t at = coefficients_->offset_of(place);
      sphere::advance(description_, coefficients_->division().order()[place], step,
                      mean_geopotential_, old_.data() + at, new_.data() + at, tendency_.data() + at,
                      next_.data() + at);
    });
  });
}

// The first step is from the start over a timestep, centred on the half step; the others are
// leapfrog with Asselin's filter.
void Turn::step(Listener& listener) {
  const bool first = timesteps_ == 0;
  find_tendency(listener);
  advance(listener, (first ? 1.0 : 2.0) * description_.timestep);
  if (!first) {
    if (description_.filter > 0.0)
      for (std::int64_t i = 0; i < new_.size(); ++i)
        new_[i] += description_.filter * (old_[i] - 2.0 * new_[i] + next_[i]);
    std::swap(old_, new_);
  }
  std::swap(new_, next_);
  synthesise(listener, false);
  ++timesteps_;
  const double time = static_cast<double>(timesteps_) * description_.timestep;
  invariants_->measure(listener, *fields_, mean_geopotential_, time, threads_);
}

}  // namespace phasewise::sphere
