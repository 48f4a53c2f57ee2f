#include "hydro/turn.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "hydro/kernels.hpp"
#include "hydro/phases.hpp"
#include "parallel/loops.hpp"
#include "parallel/simd.hpp"

namespace phasewise::hydro {
namespace {

// A timestep is not worth its name below this share of the time, and one that would leave less to
// the end is stretched.
constexpr double least_share = 1e-12;

}  // namespace

std::vector<workload::Piece> pieces_of(const Description& description) {
  using Kind = workload::Piece::Kind;
  std::vector<workload::Piece> result{
      {.name = pieces::start, .kind = Kind::data_dependent, .per = "start", .first = 1.0}};
  if (description.alternates) {
    const bool deep = description.grid.dimensions() == 3;
    result.push_back({.name = pieces::resumed, .kind = Kind::data_dependent, .per = "resumption"});
    result.push_back({.name = pieces::forwards,
                      .kind = Kind::data_dependent,
                      .per = deep ? "timestep x y z" : "timestep x y",
                      .expected = 0.5,
                      .first = 1.0});
    result.push_back({.name = pieces::backwards,
                      .kind = Kind::data_dependent,
                      .per = deep ? "timestep z y x" : "timestep y x",
                      .expected = 0.5});
  } else {
    result.push_back({.name = pieces::sweeps});
  }
  result.push_back({.name = pieces::measure});
  if (!description.solution) return result;
  // The last timestep is compared too.
  const std::int64_t every = description.norms_every, all = description.timesteps;
  const std::int64_t compared = every > 0 ? (all + every - 1) / every : 1;
  result.push_back({.name = pieces::norms,
                    .kind = Kind::data_dependent,
                    .per = "comparison",
                    .expected = static_cast<double>(compared) / static_cast<double>(all),
                    .first = every == 1 || all == 1 ? 1.0 : 0.0});
  return result;
}

Turn::Turn(const Description& description, const workload::Nodes& nodes,
           const exchange::TeamPointer& team, workload::Contents contents, int threads)
    : description_(description),
      nodes_(nodes),
      team_(team),
      real_(contents == workload::Contents::real),
      threads_(threads),
      exchanges_(std::make_unique<Exchanges>(description.grid, description.manner, nodes, team)),
      measures_(std::make_unique<Measures>(description, nodes, team, threads)),
      tallies_(threads) {
  make_ways();
  make_sweeps();
  if (!real_) return;
  const std::int64_t size = field::count * exchanges_->division().most_zones();
  state_ = parallel::Buffer<double>(size);
  if (!ways_.empty()) next_ = parallel::Buffer<double>(size);
  fill();
}

void Turn::make_sweeps() {
  sweeps_.clear();
  shapes_.clear();
  for (int direction = 0; direction < description_.grid.dimensions(); ++direction) {
    shapes_.push_back(sweep_shape(description_.sweep_setting(), direction));
    if (!real_) continue;
    std::vector<Sweep>& of_threads = sweeps_.emplace_back();
    for (int thread = 0; thread < threads_; ++thread)
      of_threads.emplace_back(description_.sweep_setting(), direction);
  }
}

void Turn::make_ways() {
  ways_.clear();
  const int last = description_.grid.dimensions() - 1;
  for (const auto& [from, to] : {std::pair{0, last}, std::pair{last, 0}})
    for (const Step& step : exchanges_->steps(from, to)) {
      Way way{step, exchanges_->transpose(step), {}};
      if (description_.manner.overlap) way.batched = exchanges_->batched(step);
      ways_.emplace(std::pair{step.from, step.to}, std::move(way));
    }
}

void Turn::fill() {
  const Zones zones = this->zones();
  parallel::for_tasks(static_cast<int>(zones.rows()), threads_, [&](int number, int) {
    const Row row = zones.row(number);
    Zone zone = row.first;
    for (int n = 0; n < row.zones; ++n, ++zone.at[0]) {
      const Primitive state = description_.problem.kind == Case::file
                                  ? Primitive{.density = 1.0, .pressure = 1.0}
                                  : initial_state(description_.problem, description_.grid, zone);
      const double values[field::count] = {state.density,     state.pressure,    state.velocity[0],
                                           state.velocity[1], state.velocity[2], 0.0};
      for (int f = 0; f < field::count; ++f) const_cast<double*>(row.values[f])[n] = values[f];
    }
  });
}

void Turn::exchange_as(const Manner& manner) {
  const bool same_sweeps =
      manner.batch == description_.manner.batch && manner.kernel == description_.manner.kernel;
  description_.manner = manner;
  exchanges_ = std::make_unique<Exchanges>(description_.grid, manner, nodes_, team_);
  make_ways();
  measures_->sum_by(manner.sums);
  if (!same_sweeps) make_sweeps();
}

exchange::Exchanges Turn::exchanges() const {
  exchange::Exchanges result = measures_->exchanges();
  for (const auto& [axes, way] : ways_) std::ranges::copy(way.batched, std::back_inserter(result));
  return result;
}

int Turn::whole_at(std::int64_t timestep) const {
  return description_.alternates && timestep % 2 != 0 ? description_.grid.dimensions() - 1 : 0;
}

void Turn::resume_at(double time) {
  time_ = time;
  fastest_is_missing_ = true;
}

void Turn::tell(const workload::Piece& piece, Listener& listener) {
  const int last = description_.grid.dimensions() - 1;
  if (piece.name == pieces::start) {
    measures_->find_fastest(listener, zones());
    fastest_is_missing_ = false;
  } else if (piece.name == pieces::resumed) {
    whole_ = real_ ? whole_ : 0;
    move(listener, last);
  } else if (piece.name == pieces::measure) {
    Tally tally;
    for (const Tally& one : tallies_) tally.add(one);
    measures_->measure(listener, zones(), tally);
    if (real_ && measures_->measured().collapsed > 0)
      measures_->fail(listener, zones(), tally,
                      "the gas collapsed within a timestep of " + shown(timestep_));
  } else if (piece.name == pieces::norms) {
    measures_->compare(listener, zones(), time_);
  } else {
    const bool backwards = piece.name == pieces::backwards;
    if (!real_) whole_ = backwards ? last : 0;  // as the timestep before has left it
    choose_timestep(listener);
    sweep_along_all(listener, backwards);
  }
}

// The last timestep ends at the end.
void Turn::choose_timestep(Listener& listener) {
  if (!real_) return;
  std::ranges::fill(tallies_, Tally{});
  const double fastest = measures_->measured().inverse_timestep;
  if (std::isinf(fastest))
    measures_->fail(listener, zones(), {}, "the gas has left the range of numbers");
  timestep_ = description_.courant / fastest;
  if (!(timestep_ > least_share * time_))
    measures_->fail(listener, zones(), {},
                    "the gas allows no timestep above 1e-12 of the time " + shown(time_) +
                        " but only " + shown(timestep_));
  const double left = description_.until - time_;
  const bool ends = description_.until > 0.0 &&
                    (timestep_ >= left || left - timestep_ < least_share * description_.until);
  if (ends) timestep_ = left;
  time_ = ends ? description_.until : time_ + timestep_;
}

// The zones end as the next timestep needs them.
void Turn::sweep_along_all(Listener& listener, bool backwards) {
  const int count = description_.grid.dimensions();
  for (int i = 0; i < count; ++i) {
    const int direction = backwards ? count - 1 - i : i;
    const bool ends = i + 1 == count;
    const int following = backwards ? direction - 1 : direction + 1;
    const int next = ends ? (description_.alternates ? direction : 0) : following;
    const std::vector<Step> steps = exchanges_->steps(direction, next);
    // Where axes are whole together, it does not matter which of them is named.
    whole_ = direction;
    if (!steps.empty() && description_.manner.overlap && steps.front().from == direction)
      sweep_and_send(listener, direction, ways_.at({steps.front().from, steps.front().to}));
    else
      sweep(listener, direction);
    move(listener, next);
  }
}

void Turn::sweep(Listener& listener, int direction) {
  const Batches batches(exchanges_->box(direction), direction, description_.manner.batch);
  sweep_batches(listener, direction, batches, 0, batches.count());
}

// A batch's messages set off when it has been swept, and are under way while the next one is.
void Turn::sweep_and_send(Listener& listener, int direction, const Way& way) {
  const Batches batches(exchanges_->box(direction), direction, description_.manner.batch);
  const int count = static_cast<int>(way.batched.size());
  for (int number = 0; number < count; ++number) {
    if (number < batches.count()) sweep_batches(listener, direction, batches, number, number + 1);
    const exchange::ExchangePointer& exchange = way.batched[number];
    listener.start(exchange->channel, [&](exchange::Works& works) {
      works.push_back({exchange::lent(exchange), buffer(state_, way.step.from, field::count),
                       buffer(next_, way.step.to, field::count)});
    });
    listener.progress(exchange->channel);
    if (number > 0) listener.finish(way.batched[number - 1]->channel);
  }
  listener.finish(way.batched.back()->channel);
  std::swap(state_, next_);
  whole_ = way.step.to;
}

// Batches first … last - 1. The scalar work between the loops includes finding the pencils.
void Turn::sweep_batches(Listener& listener, int direction, const Batches& batches, int first,
                         int last) {
  std::int64_t pencils = 0;
  for (int number = first; number < last; ++number) pencils += batches[number].count;
  // Vectors are as long as the mean batch.
  SweepShape shape = shapes_[direction];
  if (last > first) shape.batch = static_cast<int>((pencils + last - first - 1) / (last - first));
  const bool by_batch = description_.manner.kernel == Kernel::fast;
  listener.kernel(between_loops_card(), by_batch ? last - first : pencils, [&] {
    pencils_.clear();
    for (int number = first; number < last; ++number) {
      const Batch batch = batches[number];
      // One batch alone is divided among the threads.
      const int parts = last - first == 1 ? threads_ : 1;
      const int lines = (batch.count + parallel::lanes - 1) / parallel::lanes;
      for (int part = 0; part < parts; ++part) {
        const auto [from, to] = exchange::share(lines, parts, part);
        const int begin = from * parallel::lanes;
        const int end = std::min(to * parallel::lanes, batch.count);
        if (end > begin)
          pencils_.push_back(batches.pencils_of(batch, state_.data(), begin, end - begin));
      }
    }
  });
  const auto zones = static_cast<double>(pencils * batches.zones_along());
  listener.kernel(sweep_card(shape), zones, [&] {
    parallel::for_tasks(static_cast<int>(pencils_.size()), threads_, [&](int task, int thread) {
      sweeps_[direction][thread](pencils_[task], timestep_, tallies_[thread]);
    });
  });
}

void Turn::move(Listener& listener, int to) {
  for (const Step& step : exchanges_->steps(whole_, to)) {
    const Way& way = ways_.at({step.from, step.to});
    listener.transpose(way.at_once, buffer(state_, step.from, 1), buffer(next_, step.to, 1));
    std::swap(state_, next_);
  }
  whole_ = to;
}

// Items of this number of the six arrays of a box; none without contents.
exchange::ItemBuffer Turn::buffer(parallel::Buffer<double>& values, int whole_axis,
                                  int arrays) const {
  return {values.data(), arrays * exchanges_->box(whole_axis).zones()};
}

}  // namespace phasewise::hydro
