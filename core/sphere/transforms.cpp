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
  const auto wavenumbers = static_cast<std::int64_t>(division_.order().size());
  columns_ = parallel::Buffer<double>(layout.size() * pair_stride() * size_of(column_places()));
  if (transposed())
    before_ = parallel::Buffer<double>(layout.size() * size_of(pairs()) * wavenumbers);
  for (int thread = 0; thread < threads; ++thread) {
    scratch_.emplace_back(fourier_->pairs_together() * rows_.size());
    batches_.push_back(fourier_->batch());
  }
  panels_.resize(threads);
}

Range Transforms::column_places() const {
  return transposed() ? places() : Range{0, static_cast<int>(division_.order().size())};
}

std::int64_t Transforms::pair_stride() const {
  return size_of(column_pairs()) + (manner_.padding ? 1 : 0);
}

// Rows are [pair][wavenumber] before a transpose; columns are [wavenumber][pair].
ColumnStrides Transforms::row_strides(const ColumnLayout& layout) const {
  if (transposed())
    return {layout.size() * static_cast<std::int64_t>(division_.order().size()), layout.size()};
  return {layout.size(), layout.size() * pair_stride()};
}

double* Transforms::columns_of(int place, const ColumnLayout& layout) {
  const std::int64_t number = place - column_places().first;
  return columns_.data() + number * pair_stride() * layout.size();
}

exchange::ItemBuffer Transforms::buffer(parallel::Buffer<double>& values) const {
  return real_ ? exchange::ItemBuffer(values.data(), values.size()) : exchange::ItemBuffer();
}

const Transposes& Transforms::transposes(int fields) {
  const ColumnLayout layout{fields, description_.levels};
  return transposes_
      .try_emplace(fields, division_, manner_.transpose, team_, pair_stride(), layout.size())
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
  const ColumnStrides strides = row_strides(layout);
  const auto [first, last] = pairs();
  const double rows = static_cast<double>(last - first) * fields * description_.levels;
  listener.kernel(forward_card(description_, products_), rows, [&] {
    double* to = transposed() ? before_.data() : columns_.data();
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
        fourier_->forward(scratch, sines, weights, layout, field,
                          to + (together.first - first) * strides.pair, strides, batches_[thread]);
      }
    });
  });
  if (transposed())
    listener.transpose(transposes(fields).to_columns(), buffer(before_), buffer(columns_));
}

void Transforms::backward(workload::Listener& listener, int fields, const Place& rows) {
  const ColumnLayout layout{fields, description_.levels};
  const ColumnStrides strides = row_strides(layout);
  if (transposed())
    listener.transpose(transposes(fields).to_rows(), buffer(columns_), buffer(before_));
  const auto [first, last] = pairs();
  const double count = static_cast<double>(last - first) * fields * description_.levels;
  listener.kernel(backward_card(description_), count, [&] {
    const double* from = transposed() ? before_.data() : columns_.data();
    for_pairs_together([&](const Range& together, int thread) {
      const auto sines = std::span(latitudes_.sine).subspan(together.first, size_of(together));
      std::vector<Complex*> to(size_of(together));
      for (int field = 0; field < fields; ++field) {
        for (int pair = together.first; pair < together.second; ++pair)
          to[pair - together.first] = rows(pair, field, thread);
        fourier_->backward(from + (together.first - first) * strides.pair, strides, layout, field,
                           sines, to, batches_[thread]);
      }
    });
  });
}

void Transforms::analyse(int place, const EvenFunctions& functions, const Range& pairs, int fields,
                         double* rows, int thread) {
  const ColumnLayout layout{fields, description_.levels};
  sphere::analyse(functions, {columns_of(place, layout), layout.size(), pairs}, layout, rows,
                  manner_.kernel == Kernel::plain, panels_[thread]);
}

void Transforms::synthesise(int place, double* rows, int fields, int thread) {
  const ColumnLayout layout{fields, description_.levels};
  sphere::synthesise(functions(place, thread), rows, layout,
                     {columns_of(place, layout), layout.size(), {0, size_of(column_pairs())}},
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
