#include "sphere/transforms.hpp"

#include <algorithm>

#include "parallel/loops.hpp"
#include "sphere/spectral.hpp"

namespace phasewise::sphere {

Transforms::Transforms(const Description& description, const workload::Nodes& nodes,
                       const exchange::TeamPointer& team, workload::Contents contents, int threads,
                       int most_fields, const Transforms* others)
    : description_(description),
      manner_(description.manner),
      team_(team),
      rank_(team->me),
      threads_(threads),
      real_(contents == workload::Contents::real),
      division_(description.truncation, description.pairs(), description.groups,
                static_cast<int>(nodes.size()), manner_.distributed()),
      rows_(description.longitudes, description.levels, manner_.padding),
      products_(most_fields == products::fields) {
  if (!real_) return;
  latitudes_ = gaussian_pairs(description.latitudes);
  fourier_.emplace(rows_, division_.order());
  const auto [first, last] = column_pairs();
  if (others != nullptr && others->column_pairs() == column_pairs() &&
      others->column_places() == column_places())
    functions_ = others->functions_;
  else
    functions_ = std::make_shared<LegendreFunctions>(
        division_.order(), column_places(), std::span(latitudes_.sine).subspan(first, last - first),
        description.truncation + 1, description.table, threads);
  const ColumnLayout layout{most_fields, description.levels};
  const int padded = !transposed() && manner_.padding ? 1 : 0;
  columns_ = parallel::Buffer<double>(layout.size() * (size_of(column_pairs()) + padded) *
                                      size_of(column_places()));
  if (transposed())
    before_ = parallel::Buffer<double>(
        Transposes::block_of(division_, rank_, division_.ranks(), layout.size()));
  for (int thread = 0; thread < threads; ++thread) {
    scratch_.emplace_back(fourier_->pairs_together() * rows_.size());
    batches_.push_back(fourier_->batch());
  }
  panels_.resize(threads);
}

Range Transforms::column_places() const {
  return transposed() ? places() : Range{0, static_cast<int>(division_.order().size())};
}

ColumnPart<double> Transforms::own_columns(const ColumnLayout& layout) {
  const Range places = column_places();
  if (transposed())
    return {columns_.data(), size_of(places) * layout.size(), layout.size(), places};
  const std::int64_t stride = size_of(column_pairs()) + (manner_.padding ? 1 : 0);
  return {columns_.data(), layout.size(), stride * layout.size(), places};
}

template <class Real>
ColumnParts<Real> Transforms::columns_at_pairs(const ColumnLayout& layout) {
  const ColumnPart<double> own = own_columns(layout);
  if (!transposed()) return {{own.data, own.pair, own.wavenumber, own.places}};
  ColumnParts<Real> result;
  for (int other = 0; other < division_.ranks(); ++other) {
    const Range places = division_.wavenumbers(other);
    if (other == rank_)
      result.push_back({own.data + pairs().first * own.pair, own.pair, own.wavenumber, places});
    else
      result.push_back(
          {before_.data() + Transposes::block_of(division_, rank_, other, layout.size()),
           size_of(places) * layout.size(), layout.size(), places});
  }
  return result;
}

double* Transforms::columns_of(int place, const ColumnPart<double>& columns) const {
  return columns.data + (place - columns.places.first) * columns.wavenumber;
}

exchange::ItemBuffer Transforms::buffer(parallel::Buffer<double>& values) const {
  return real_ ? exchange::ItemBuffer(values.data(), values.size()) : exchange::ItemBuffer();
}

const Transposes& Transforms::transposes(int fields) {
  const ColumnLayout layout{fields, description_.levels};
  return transposes_.try_emplace(fields, division_, manner_.transpose, team_, layout.size())
      .first->second;
}

template <class F>
void Transforms::for_pairs_together(F&& f) const {
  const auto [first, last] = pairs();
  const int together = fourier_->pairs_together(), tasks = (last - first + together - 1) / together;
  parallel::for_tasks(tasks, threads_, [&](int task, int thread) {
    const int begin = first + task * together;
    f(Range{begin, std::min(begin + together, last)}, thread);
  });
}

void Transforms::forward(workload::Listener& listener, int fields, const Fill& fill,
                         Weights weights_are) {
  const ColumnLayout layout{fields, description_.levels};
  const auto [first, last] = pairs();
  const double rows = static_cast<double>(last - first) * fields * description_.levels;
  listener.kernel(forward_card(description_, products_), rows, [&] {
    const ColumnParts<double> to = columns_at_pairs<double>(layout);
    for_pairs_together([&](const Range& together, int thread) {
      Complex* scratch = scratch_[thread].data();
      const auto sines = std::span(latitudes_.sine).subspan(together.first, size_of(together));
      std::vector<double> weights;
      for (int pair = together.first; pair < together.second; ++pair)
        weights.push_back(weights_are == Weights::gaussian
                              ? latitudes_.weight[pair]
                              : static_cast<double>(description_.longitudes));
      for (int field = 0; field < fields; ++field) {
        for (int pair = together.first; pair < together.second; ++pair)
          fill(pair, field, scratch + (pair - together.first) * rows_.size(), thread);
        fourier_->forward(scratch, sines, weights, layout, field, together.first - first, to,
                          batches_[thread]);
      }
    });
  });
  if (transposed())
    listener.transpose(transposes(fields).to_columns(), buffer(before_), buffer(columns_));
}

void Transforms::backward(workload::Listener& listener, int fields, const Place& rows) {
  const ColumnLayout layout{fields, description_.levels};
  if (transposed())
    listener.transpose(transposes(fields).to_rows(), buffer(columns_), buffer(before_));
  const auto [first, last] = pairs();
  const double count = static_cast<double>(last - first) * fields * description_.levels;
  listener.kernel(backward_card(description_), count, [&] {
    const ColumnParts<const double> from = columns_at_pairs<const double>(layout);
    for_pairs_together([&](const Range& together, int thread) {
      const auto sines = std::span(latitudes_.sine).subspan(together.first, size_of(together));
      std::vector<Complex*> to(size_of(together));
      for (int field = 0; field < fields; ++field) {
        for (int pair = together.first; pair < together.second; ++pair)
          to[pair - together.first] = rows(pair, field, thread);
        fourier_->backward(from, layout, field, together.first - first, sines, to,
                           batches_[thread]);
      }
    });
  });
}

void Transforms::analyse(int place, const EvenFunctions& functions, const Range& pairs, int fields,
                         double* rows, int thread) {
  const ColumnLayout layout{fields, description_.levels};
  const ColumnPart<double> columns = own_columns(layout);
  sphere::analyse(functions, {columns_of(place, columns), columns.pair, pairs}, layout, rows,
                  manner_.kernel == Kernel::plain, panels_[thread]);
}

void Transforms::synthesise(int place, double* rows, int fields, int thread) {
  const ColumnLayout layout{fields, description_.levels};
  const ColumnPart<double> columns = own_columns(layout);
  sphere::synthesise(functions(place, thread), rows, layout,
                     {columns_of(place, columns), columns.pair, {0, size_of(column_pairs())}},
                     manner_.kernel == Kernel::plain, panels_[thread]);
}

std::vector<Range> Transforms::groups() const {
  const auto [begin, end] = column_pairs();
  if (!manner_.order_free) return {{0, end - begin}};
  std::vector<Range> result;
  const auto [first, last] = division_.groups_of(rank_);
  for (int group = first; group < last; ++group) {
    const auto [from, to] = division_.pairs_of_group(group);
    result.emplace_back(from - begin, to - begin);
  }
  return result;
}

double Transforms::functions_of(const Range& places) const {
  double degrees = 0.0;
  for (int place = places.first; place < places.second; ++place)
    degrees += description_.truncation + 2.0 - division_.order()[place];
  return degrees * size_of(column_pairs());
}

}  // namespace phasewise::sphere
