#include "atmosphere/turn.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "atmosphere/phases.hpp"
#include "atmosphere/sun.hpp"
#include "comm/communicator.hpp"
#include "exchange/stateless.hpp"
#include "parallel/clock.hpp"
#include "parallel/loops.hpp"

namespace phasewise::atmosphere {
namespace {

constexpr double microsecond = 1e-6;
// Flops of a microsecond where no machine is simulated.
constexpr double nominal_flops = 1000.0;
constexpr double longest_loop = 1e9;

// One item is a microsecond of a column whose cost is given.
parallel::KernelCard given_card(const Description& description) {
  const double flops = description.simulated_flops;
  return {.name = "given_cost",
          .flops = flops > 0.0 ? microsecond * flops : nominal_flops,
          .bytes = 0.0,
          .vectorised = true,
          // One long loop, so that a vector processor takes no more time.
          .trip = longest_loop,
          .loops = 1.0 / longest_loop};
}

}  // namespace

std::int64_t planned_timesteps(const Description& description) {
  return std::clamp<std::int64_t>(description.timesteps, 1, pieces::most);
}

std::int64_t timestep_of_piece(const Description& description, int index) {
  const std::int64_t all = std::max<std::int64_t>(1, description.timesteps);
  if (all <= pieces::most) return index;
  constexpr double golden = 0.6180339887498949;
  const double within = std::fmod(index * golden, 1.0);
  return static_cast<std::int64_t>((index + within) * static_cast<double>(all) / pieces::most);
}

Turn::Turn(Schedules& schedules, const exchange::TeamPointer& team, workload::Contents contents,
           int threads)
    : schedules_(schedules),
      planet_(schedules.planet()),
      team_(team),
      real_(contents == workload::Contents::real),
      threads_(threads),
      manner_(planet_.description().manner),
      measures_(planet_, team_) {
  if (planet_.by_sun())
    physics_ = std::make_unique<Physics>(physics_setting(planet_.description(), manner_, threads));
  schedule_ = schedules_.at(manner_, 0);
  if (real_) fill();
}

void Turn::fill() {
  const std::int64_t pitch = planet_.bytes().pitch;
  room_ = own();
  memory_ = parallel::Buffer<double>(room_ * pitch);
  const auto columns = planet_.layout().columns(team_->me);
  parallel::for_tasks(static_cast<int>(room_), threads_, [&](int place, int) {
    double* const column = memory_.data() + place * pitch;
    std::fill_n(column, pitch, 0.0);
    if (!physics_) return;
    const int row = planet_.geometry().latitude_of(columns[place]);
    physics_->initial(planet_.geometry().sine(row), columns[place], planet_.description().seed,
                      column);
  });
}

double Turn::seconds(std::int64_t place) const {
  const int at = planet_.bytes().cost;
  if (at >= 0) return memory_[place * planet_.bytes().pitch + at];
  const CostTable& table = *planet_.description().costs;
  const std::int64_t column = planet_.layout().columns(team_->me)[place];
  return table.seconds[(timestep_ % table.times) * planet_.geometry().columns() + column];
}

void Turn::exchange_as(const Manner& given) {
  planet_.check(given.balance);
  Manner manner = given;
  manner.division = manner_.division;
  manner.process_grid = manner_.process_grid;
  manner_ = manner;
  least_.clear();
  seconds_.clear();
  quickest_ = of_byte_ = 0.0;
  moves_.reset();
  if (physics_)
    physics_ = std::make_unique<Physics>(physics_setting(planet_.description(), manner_, threads_));
}

// On a simulated machine, columns take the time that the cards say.
bool Turn::measures_costs() const {
  return real_ && manner_.balance == Balance::measured && planet_.by_sun() && !comm::simulated();
}

SchedulePointer Turn::schedule_at(std::int64_t timestep) {
  if (!measures_costs()) return schedules_.at(manner_, timestep);
  Costs costs = planet_.costs_at(timestep);
  if (seconds_.empty())
    return std::make_shared<const Schedule>(planet_.layout(), planet_.layout().owners(), costs);
  costs.of = planet_.seconds_since(seconds_, looked_, timestep);
  return std::make_shared<const Schedule>(planet_.layout(), planet_.holders_by(costs.of, of_byte_),
                                          costs);
}

bool Turn::prepare(std::int64_t timestep) {
  SchedulePointer next = schedule_at(timestep);
  const bool same = moves_ && schedule_->moves_as(*next);
  schedule_ = std::move(next);
  if (same) return false;
  moves_ = std::make_unique<Moves>(*schedule_, planet_.layout(), manner_, planet_.bytes(), team_);
  make_room();
  return manner_.moves == MoveBy::messages && !exchange::is_stateless(manner_.protocol);
}

void Turn::make_room() {
  const std::int64_t needed = own() + moves_->guests(), pitch = planet_.bytes().pitch;
  if (!real_ || needed <= room_) {
    room_ = std::max(room_, needed);
    return;
  }
  parallel::Buffer<double> larger(needed * pitch);
  std::memcpy(larger.data(), memory_.data(),
              sizeof(double) * static_cast<std::size_t>(own() * pitch));
  memory_ = std::move(larger);
  room_ = needed;
}

void Turn::tell(const workload::Piece& piece, Listener& listener) {
  const std::int64_t timestep = timestep_of_piece(planet_.description(), piece.index);
  prepare(timestep);
  step(timestep, listener);
}

void Turn::step(std::int64_t timestep, Listener& listener) {
  timestep_ = timestep;
  const bool moves = schedule_->moved() > 0;
  if (moves) timed([&] { moves_->out(listener, memory(), room_); });
  if (physics_)
    compute(listener);
  else
    compute_given(listener);
  if (moves) timed([&] { moves_->back(listener, memory(), room_); });
  if (measures_costs()) keep_seconds();
  if (manner_.balance == Balance::measured && (timestep + 1) % manner_.costs_every == 0)
    share_costs(listener);
  if (physics_) measures_.measure(listener, memory(), failed_);
}

// Keeps the quickest moves: others have waited.
template <class F>
void Turn::timed(F&& move) {
  if (!measures_costs()) return move();
  const double start = parallel::clock().now();
  move();
  const auto bytes = static_cast<double>(planet_.bytes().out + planet_.bytes().back) / 2.0;
  const auto columns = static_cast<double>(moves_->guests() + moves_->gone());
  if (columns == 0.0) return;
  const double found = (parallel::clock().now() - start) / (bytes * columns);
  quickest_ = quickest_ > 0.0 ? std::min(quickest_, found) : found;
}

// Those of day before those of night, own ones before others.
void Turn::find_columns() {
  here_.clear();
  data_.clear();
  const std::int64_t pitch = planet_.bytes().pitch;
  for (const bool lit : {true, false}) {
    std::int64_t place = 0;
    const auto add = [&](std::int32_t column) {
      if (schedule_->holder(column) == team_->me && schedule_->lit(column) == lit) {
        here_.push_back(column);
        data_.push_back(memory_.data() + place * pitch);
      }
      ++place;
    };
    for (const std::int32_t column : planet_.layout().columns(team_->me)) add(column);
    for (const Shipment& shipment : schedule_->to(team_->me))
      for (const std::int32_t column : schedule_->columns(shipment)) add(column);
  }
}

void Turn::compute(Listener& listener) {
  const Schedule::Share& share = schedule_->share(team_->me);
  if (!real_) return physics_->tell(listener, share.columns, share.lit, nullptr, nullptr, nullptr);
  find_columns();
  const Geometry& geometry = planet_.geometry();
  const std::vector<double> cosines = zenith_cosines(
      geometry, sun_at(planet_.description().sun, planet_.description().timestep, timestep_));
  places_.clear();
  for (const std::int64_t column : here_)
    places_.push_back({column, geometry.sine(geometry.latitude_of(column)), cosines[column]});
  spent_.assign(here_.size(), 0.0);
  physics_->tell(listener, share.columns, share.lit, data_.data(), places_.data(), spent_.data());
  for (std::size_t n = 0; n < here_.size(); ++n) data_[n][planet_.bytes().cost] = spent_[n];
  failed_.reset();
  if (const std::optional<Failure>& failure = physics_->failure())
    failed_ = FailedColumn{failure->column, failure->what};
}

// All threads are busy for their share of the time. Simulated time passes by the card.
void Turn::compute_given(Listener& listener) {
  const double seconds = schedule_->share(team_->me).cost;
  listener.kernel(given_card(planet_.description()), seconds / microsecond, [&] {
    if (comm::simulated()) return;
    const double until = parallel::clock().now() + seconds / threads_;
    parallel::for_tasks(threads_, threads_, [&](int, int) {
      while (parallel::clock().now() < until) {
      }
    });
  });
}

// The least since the last look: in other timesteps something else may have had the core. A column
// whose sun has risen or set begins anew.
void Turn::keep_seconds() {
  const auto columns = planet_.layout().columns(team_->me);
  least_.resize(columns.size(), {0.0, false});
  for (std::size_t place = 0; place < columns.size(); ++place) {
    Least& least = least_[place];
    const double now = seconds(static_cast<std::int64_t>(place));
    const bool lit = schedule_->lit(columns[place]);
    const bool anew = least.seconds == 0.0 || least.lit != lit;
    least = {anew ? now : std::min(least.seconds, now), lit};
  }
}

// Every rank gets the seconds of all columns, by rank, each with those of a moved byte.
void Turn::share_costs(Listener& listener) {
  exchange::Collective gather;
  gather.phase = phases::costs;
  gather.kind = exchange::CollectiveKind::all_gather;
  for (int rank = 0; rank < planet_.ranks(); ++rank)
    gather.sizes.push_back(8 * (std::ssize(planet_.layout().columns(rank)) + 1));
  std::vector<double> mine, all;
  if (real_) {
    for (std::int64_t place = 0; place < own(); ++place)
      mine.push_back(least_.empty() ? seconds(place) : least_[place].seconds);
    least_.clear();
    mine.push_back(quickest_);
    all.resize(static_cast<std::size_t>(gather.total_bytes() / 8));
  }
  listener.start_collective(gather, reinterpret_cast<const std::byte*>(mine.data()),
                            reinterpret_cast<std::byte*>(all.data()));
  listener.finish(gather.channel);
  if (measures_costs()) take_costs(all);
}

void Turn::take_costs(const std::vector<double>& all) {
  seconds_.resize(static_cast<std::size_t>(planet_.geometry().columns()));
  std::vector<double> of_bytes;
  std::size_t next = 0;
  for (int rank = 0; rank < planet_.ranks(); ++rank) {
    for (const std::int32_t column : planet_.layout().columns(rank))
      seconds_[column] = all[next++] / threads_;  // threads share the columns
    if (const double found = all[next++]; found > 0.0) of_bytes.push_back(found);
  }
  looked_ = timestep_;
  quickest_ = 0.0;
  if (manner_.move_seconds_per_byte > 0.0) {
    of_byte_ = manner_.move_seconds_per_byte;
  } else if (!of_bytes.empty()) {
    const auto middle = of_bytes.begin() + static_cast<std::ptrdiff_t>(of_bytes.size() / 2);
    std::ranges::nth_element(of_bytes, middle);
    of_byte_ = *middle;
  } else if (of_byte_ == 0.0) {
    of_byte_ = assumed_seconds_per_byte;
  }
}

}  // namespace phasewise::atmosphere
