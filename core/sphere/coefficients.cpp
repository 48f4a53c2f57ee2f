#include "sphere/coefficients.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parallel/loops.hpp"
#include "parallel/simd.hpp"
#include "sphere/phases.hpp"

namespace phasewise::sphere {
namespace {

using workload::Listener;

// A block is computed in parts, between which the messages of the other one advance.
constexpr int parts = 16;

// Calls f with each of these parts of some places.
template <class F>
void for_parts(std::span<const int> places, F&& f) {
  const int count = std::min<int>(parts, static_cast<int>(places.size()));
  for (int part = 0; part < count; ++part) {
    const auto [from, to] = exchange::share(static_cast<int>(places.size()), count, part);
    f(places.subspan(from, to - from));
  }
}

// The largest absolute value.
double largest_of(const double* values, std::int64_t count) {
  parallel::Lanes most{};
  std::int64_t i = 0;
  for (; i + parallel::lanes <= count; i += parallel::lanes) {
    const parallel::Lanes here = parallel::load(values + i), size = here < 0.0 ? -here : here;
    most = size > most ? size : most;
  }
  double result = 0.0;
  for (int lane = 0; lane < parallel::lanes; ++lane) result = std::max(result, most[lane]);
  for (; i < count; ++i) result = std::max(result, std::fabs(values[i]));
  return result;
}

}  // namespace

CoefficientTransforms::CoefficientTransforms(const Description& description,
                                             const workload::Nodes& nodes,
                                             const exchange::TeamPointer& team,
                                             workload::Contents contents, int threads,
                                             const Transforms* others)
    : description_(description),
      transforms_(description, nodes, team, contents, threads, products::fields, others),
      team_(team),
      real_(contents == workload::Contents::real),
      order_free_(description.manner.order_free),
      own_places_(size_of(transforms_.places())) {
  std::iota(own_places_.begin(), own_places_.end(), transforms_.places().first);
  const std::int64_t width = state_width(description.levels);
  if (description.manner.distributed() && nodes.size() > 1) {
    const std::int64_t bytes = static_cast<std::int64_t>(sizeof(double)) * width;
    blocks_ = blocks_of(division(), description.manner, team, nodes, words() * bytes, bytes);
  }
  std::int64_t most = 0;
  begins_.resize(division().order().size());
  for (const Block& block : blocks_) {
    std::vector<int>& places = block_places_.emplace_back();
    for (std::size_t rank = 0; rank < block.places.size(); ++rank) {
      const auto [first, last] = block.places[rank];
      for (int place = first; place < last; ++place) {
        places.push_back(place);
        begins_[place] = block.begins[rank] + division().coefficients_of({first, place});
      }
    }
    most = std::max(most, block.coefficients);
  }
  const auto levels = static_cast<std::size_t>(description.levels);
  largest_.resize(threads * products::fields * levels);
  if (!real_) return;
  for (const int m : division().order()) factors_.push_back(product_factors(description, m));
  for (auto& values : slots_) values = parallel::Buffer<double>(most * width * words());
  const std::int64_t degrees = description.truncation + 3;
  rows_.resize(threads);
  sums_.resize(threads);
  for (auto& rows : rows_)
    rows = parallel::Buffer<double>(degrees *
                                    ColumnLayout{products::fields, description.levels}.width());
  for (auto& sums : sums_) sums = parallel::Buffer<double>(degrees * width * words());
}

std::int64_t CoefficientTransforms::offset_of(int place) const {
  return (division().coefficients_before(place) -
          division().coefficients_before(transforms_.places().first)) *
         state_width(description_.levels);
}

double CoefficientTransforms::functions_of(Places places) const {
  double sum = 0.0;
  for (const int place : places) sum += transforms_.functions_of({place, place + 1});
  return sum;
}

exchange::ItemBuffer CoefficientTransforms::slot(std::size_t block) {
  parallel::Buffer<double>& values = slots_[block % 2];
  return real_ ? exchange::ItemBuffer(values.data(), values.size()) : exchange::ItemBuffer();
}

// The columns of a pair are at most this, since a coefficient of a row is at most its largest
// value; north and south are added.
void CoefficientTransforms::note_largest(int pair, int field, const Complex* rows, int thread) {
  const int levels = description_.levels;
  double* largest = largest_.data() + (thread * products::fields + field) * levels;
  const double weight = 2.0 * transforms_.latitudes().weight[pair];
  for (int level = 0; level < levels; ++level) {
    const auto* row = reinterpret_cast<const double*>(rows + level * transforms_.rows().stride);
    const double most = largest_of(row, 2 * description_.longitudes);
    largest[level] = std::max(largest[level], weight * most);
  }
}

void CoefficientTransforms::find_grids(Listener& listener, Meaning meaning) {
  const auto one = static_cast<std::size_t>(products::fields) * description_.levels;
  std::vector<double> largest(largest_.begin(), largest_.begin() + static_cast<long>(one));
  for (std::size_t at = one; at < largest_.size(); ++at)
    largest[at % one] = std::max(largest[at % one], largest_[at]);
  std::ranges::fill(largest_, 0.0);
  listener.max(phases::bound, largest, team_);
  const int groups = description_.groups;
  const int pairs = (description_.pairs() + groups - 1) / groups;
  const std::vector<double> bounds = bounds_of(description_, largest, pairs, meaning);
  grids_ = {};
  for (const double bound : bounds) grids_.add(numerics::OrderFreeGrid(bound, groups));
}

parallel::KernelCard CoefficientTransforms::card_of_analysis() const {
  return analysis_card(description_, order_free_ ? description_.groups : 1);
}

void CoefficientTransforms::analyse_places(Places places, Meaning meaning, const SumsOf& to,
                                           const After& after) {
  const std::int64_t unit = state_width(description_.levels) * words();
  const std::vector<Range> groups = transforms_.groups();
  parallel::for_tasks(
      static_cast<int>(places.size()), transforms_.threads(), [&](int task, int thread) {
        const int place = places[task], m = division().order()[place];
        const auto functions = transforms_.functions(place, thread);
        double* rows = rows_[thread].data();
        double* sums = to(place, thread);
        std::fill_n(sums, (description_.truncation - m + 1) * unit, 0.0);
        for (const Range& group : groups) {
          transforms_.analyse(place, functions, group, products::fields, rows, thread);
          combine(description_, factors_[place], rows, meaning, grids_, sums);
        }
        after(place, sums);
      });
}

void CoefficientTransforms::analyse(Listener& listener, Meaning meaning, const Fill& fill,
                                    State& to) {
  transforms_.forward(listener, products::fields,
                      [&](int pair, int field, Complex* rows, int thread) {
                        fill(pair, field, rows);
                        if (order_free_) note_largest(pair, field, rows, thread);
                      });
  if (order_free_) find_grids(listener, meaning);
  if (!blocks_.empty()) return sum_blocks(listener, meaning, to);
  listener.kernel(card_of_analysis(), functions_of(own_places_), [&] {
    analyse_places(
        own_places_, meaning, [&](int, int thread) { return sums_[thread].data(); },
        [&](int place, const double* sums) { take(place, sums, to); });
  });
}

void CoefficientTransforms::sum_blocks(Listener& listener, Meaning meaning, State& to) {
  const std::int64_t unit = state_width(description_.levels) * words();
  const auto finish = [&](std::size_t b) {
    listener.finish(channels::blocks[b % 2]);
    if (!real_) return;
    const auto [first, last] = blocks_[b].places[transforms_.rank()];
    for (int place = first; place < last; ++place)
      take(place, slots_[b % 2].data() + begin_of(place) * unit, to);
  };
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (b >= 2) finish(b - 2);
    double* slot_sums = slots_[b % 2].data();
    for_parts(block_places_[b], [&](Places places) {
      listener.kernel(card_of_analysis(), functions_of(places), [&] {
        analyse_places(
            places, meaning, [&](int place, int) { return slot_sums + begin_of(place) * unit; },
            [](int, const double*) {});
      });
      if (b > 0) listener.progress(channels::blocks[(b - 1) % 2]);
    });
    listener.start(channels::blocks[b % 2], [&](exchange::Works& works) {
      works.push_back({exchange::lent(blocks_[b].sum), slot(b), slot(b)});
    });
  }
  for (std::size_t b = blocks_.size() >= 2 ? blocks_.size() - 2 : 0; b < blocks_.size(); ++b)
    finish(b);
}

void CoefficientTransforms::take(int place, const double* sums, State& to) const {
  const std::int64_t width = state_width(description_.levels);
  const std::int64_t degrees = description_.truncation - division().order()[place] + 1;
  double* values = to.data() + offset_of(place);
  for (std::int64_t l = 0; l < degrees; ++l, sums += width * words(), values += width)
    for (std::int64_t i = 0; i < width; ++i)
      values[i] = order_free_ ? sums[i] + sums[width + i] : sums[i];
}

void CoefficientTransforms::synthesise_places(Places places,
                                              const std::function<const double*(int place)>& from) {
  parallel::for_tasks(static_cast<int>(places.size()), transforms_.threads(),
                      [&](int task, int thread) {
                        const int place = places[task];
                        double* rows = rows_[thread].data();
                        rows_of_state(description_, division().order()[place], from(place), rows);
                        transforms_.synthesise(place, rows, grid::fields, thread);
                      });
}

void CoefficientTransforms::synthesise(Listener& listener, const State& from,
                                       const Transforms::Place& rows) {
  if (!blocks_.empty())
    share_blocks(listener, from);
  else
    listener.kernel(synthesis_card(description_, grid::fields), functions_of(own_places_), [&] {
      synthesise_places(own_places_, [&](int place) { return from.data() + offset_of(place); });
    });
  transforms_.backward(listener, grid::fields, rows);
}

void CoefficientTransforms::share_blocks(Listener& listener, const State& from) {
  const std::int64_t width = state_width(description_.levels);
  const auto start = [&](std::size_t b) {
    const Block& block = blocks_[b];
    if (real_) {
      const auto [first, last] = block.places[transforms_.rank()];
      if (first < last)
        std::copy_n(from.data() + offset_of(first),
                    division().coefficients_of({first, last}) * width,
                    slots_[b % 2].data() + begin_of(first) * width);
    }
    listener.start(channels::blocks[b % 2], [&](exchange::Works& works) {
      works.push_back({exchange::lent(block.share), slot(b), slot(b)});
    });
  };
  start(0);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (b + 1 < blocks_.size()) start(b + 1);
    listener.finish(channels::blocks[b % 2]);
    const double* shared = slots_[b % 2].data();
    for_parts(block_places_[b], [&](Places places) {
      listener.kernel(synthesis_card(description_, grid::fields), functions_of(places), [&] {
        synthesise_places(places, [&](int place) { return shared + begin_of(place) * width; });
      });
      if (b + 1 < blocks_.size()) listener.progress(channels::blocks[(b + 1) % 2]);
    });
  }
}

}  // namespace phasewise::sphere
