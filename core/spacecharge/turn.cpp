#include "spacecharge/turn.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "beam/tracked.hpp"
#include "exchange/share.hpp"
#include "parallel/loops.hpp"
#include "spacecharge/first_meshes.hpp"
#include "spacecharge/frozen.hpp"
#include "spacecharge/period.hpp"
#include "spacecharge/phases.hpp"
#include "spacecharge/tsc.hpp"

namespace phasewise::spacecharge {

using workload::Piece;

std::vector<Piece> pieces_of(const Description& description, const std::vector<bool>& first) {
  std::vector<Piece> result;
  if (description.has_mesh()) {
    result.push_back({.name = pieces::sort,
                      .kind = Piece::Kind::data_dependent,
                      .per = "sort",
                      .expected = description.sort_every > 0 ? 1.0 / description.sort_every : 0.0,
                      .first = description.sort_every > 0 ? 1.0 : 0.0});
    result.push_back({.name = pieces::green,
                      .kind = Piece::Kind::data_dependent,
                      .per = "mesh",
                      .first = static_cast<double>(std::ranges::count(first, true)),
                      .inside = true});
  }
  for (int k = 0; k < description.kicks; ++k)
    result.push_back({.name = pieces::step, .kind = Piece::Kind::series, .index = k});
  result.push_back({.name = pieces::end});
  return result;
}

Turn::Turn(const Description& description, const workload::Nodes& nodes,
           const exchange::TeamPointer& team, const std::vector<bool>* first, int threads)
    : description_(description),
      nodes_(nodes),
      first_(first),
      real_(first == nullptr),
      threads_(threads),
      grid_(description.grid, description.period.has_value()),
      exchanges_(grid_, description.settings, nodes, team),
      potential_(make_potential(description, grid_, exchanges_, real_, threads)),
      bunch_{description.bunch} {
  std::tie(bunch_.first_id, bunch_.last_id) =
      exchange::share(description.bunch.macroparticles, static_cast<int>(nodes.size()), team->me);
  mesh_.n = description.grid;
  if (description.period) set_period(mesh_, *description.period, description.grid[2]);
  if (!real_) return;
  if (description.has_mesh()) values_.reserve(mesh_.nodes());
  if (description.guest) return;
  bunch_.particles.emplace(bunch_.last_id - bunch_.first_id);
  const beam::ParticleView all = bunch_.particles->view();
  parallel::for_blocks(all.size, threads, [&](std::int64_t begin, int count, int) {
    const beam::ParticleView block = all.part(begin, count);
    for (int i = 0; i < count; ++i)
      block.id[i] = static_cast<std::uint32_t>(bunch_.first_id + begin + i);
    beam::fill(block, description.profile, description.seed);
  });
}

void Turn::set_settings(const Settings& settings) {
  exchanges_ = Exchanges(grid_, settings, nodes_, exchanges_.team());
}

void Turn::begin(std::int64_t number) {
  number_ = number;
  record_ = {};
  record_.monitors.resize(description_.monitors);
  record_.stopped.resize(description_.apertures);
  passed_ = 0;
}

void Turn::tell(const Piece& piece, Listener& listener) {
  if (piece.name == pieces::step)
    step(piece.index, listener);
  else if (piece.name == pieces::sort)
    sort(listener);
  else if (piece.name == pieces::green)
    make_green(listener);
  else
    end(listener);
}

double Turn::held_particles() const {
  if (bunch_.particles) return static_cast<double>(bunch_.particles->size());
  return static_cast<double>(bunch_.last_id - bunch_.first_id);
}

double Turn::nodes_each() const {
  return static_cast<double>(mesh_.nodes()) / std::max(1.0, held_particles());
}

void Turn::sort(Listener& listener) {
  ++sorts_;
  listener.kernel(sort_card(), held_particles(),
                  [&] { sort_.run(*bunch_.particles, mesh_.n[2], threads_); });
}

double* Turn::own_planes() {
  if (!real_) return nullptr;
  return values_.data() + (description_.period ? planes_below * mesh_.plane() : 0);
}

void Turn::wrap_particles(Listener& listener) {
  if (!description_.period) return;
  listener.kernel(wrap_card(), held_particles(),
                  [&] { wrap(bunch_.particles->view(), *description_.period, threads_); });
}

void Turn::step(int number, Listener& listener) {
  traverse(description_.stretches[number], listener);
  wrap_particles(listener);
  if (description_.has_mesh())
    kick_by_mesh(number, listener);
  else
    kick_frozen(number, listener);
}

void Turn::kick_frozen(int number, Listener& listener) {
  FrozenBunch bunch;
  if (!description_.frozen.empty()) {
    bunch.place = description_.frozen[static_cast<std::size_t>(number)];
    bunch.charge = static_cast<double>(description_.bunch.macroparticles);
  } else {
    beam::Moments moments;
    measure(moments, listener);
    // A bunch that is lost has no field, and meets none.
    if (real_ && moments.particles == 0.0) return;
    if (real_) bunch = frozen_bunch(moments);
  }
  bunch.period = description_.period;
  bunch.coasting = description_.profile.coasting;
  FrozenKick how{.factor = description_.kick_factor(), .gamma = description_.bunch.gamma()};
  if (description_.pipe_radius) how.log_pipe = std::log(*description_.pipe_radius);
  listener.kernel(frozen_card(how.log_pipe.has_value()), held_particles(),
                  [&] { kick(bunch_.particles->view(), bunch, how, threads_); });
}

void Turn::kick_by_mesh(int number, Listener& listener) {
  choose_mesh(listener);
  const bool missing = real_ ? !potential_->find_green(cells(), exchanges_)
                             : number_ == 0 && (*first_)[static_cast<std::size_t>(number)];
  if (missing) listener.if_needed(pieces::green, [&] { make_green(listener); });
  const bool tsc = description_.weighting == Weighting::tsc;
  listener.kernel((tsc ? deposit_tsc_card : deposit_card)(nodes_each()), held_particles(), [&] {
    record_.outside += deposit_.run(tsc ? deposit_tsc : deposit_cic, bunch_.particles->view(),
                                    mesh_, description_.charge_quantum(), values_.data(), threads_);
    if (description_.period) fold_planes(mesh_, values_.data());
  });
  const auto share_values = [&](exchange::Channel channel,
                                const exchange::ExchangePointer& exchange) {
    if (exchanges_.alone()) return;
    listener.start(channel, [&](exchange::Works& works) {
      const exchange::ItemBuffer mesh =
          real_ ? exchange::ItemBuffer(own_planes(), grid_.nz() * mesh_.plane())
                : exchange::ItemBuffer();
      works.push_back({exchange, mesh, mesh});
    });
    listener.finish(channel);
  };
  share_values(channels::charge, exchanges_.charge());
  potential_->solve(own_planes(), exchanges_, listener);
  share_values(channels::field, exchanges_.field());
  listener.kernel((tsc ? kick_tsc_card : kick_card)(nodes_each()), held_particles(), [&] {
    if (description_.period) repeat_planes(mesh_, values_.data());
    const double factor = description_.kick_factor();
    const double along = description_.kind == Kind::box || description_.pipe_radius ? factor : 0.0;
    const beam::ParticleView all = bunch_.particles->view();
    if (tsc)
      kick_tsc(all, mesh_, values_.data(), factor, along, threads_);
    else
      kick_.run(all, mesh_, values_.data(), factor, along, threads_);
  });
}

// Every rank finds the same mesh, and keeps the same Green functions.
void Turn::choose_mesh(Listener& listener) {
  std::array<double, 6> sides{};  // maxima of minus the lower sides, and of the higher ones
  bool known = description_.half_width.has_value();
  if (!known) {
    listener.kernel(extent_card(), held_particles(), [&] {
      const Extent here = extent_of(bunch_.particles->view(), threads_);
      for (int axis = 0; axis < 3; ++axis) {
        sides[axis] = -here.low[axis];
        sides[3 + axis] = here.high[axis];
      }
    });
    listener.max(phases::extent, sides, exchanges_.team());
    // If no particle of any rank is left any mesh will do: the passage goes on, and its record has
    // no particle.
    known = real_ && !(sides[3] < -sides[0]);
  }
  if (known)
    mesh_ =
        mesh_for(description_, {{-sides[0], -sides[1], -sides[2]}, {sides[3], sides[4], sides[5]}});
}

std::array<double, 3> Turn::cells() const { return cells_of(description_, mesh_); }

void Turn::make_green(Listener& listener) {
  ++greens_made_;
  potential_->make_green(cells(), exchanges_, listener);
}

void Turn::traverse(const Stretch& stretch, Listener& listener) {
  for (std::size_t i = 0; i < stretch.lines.size(); ++i) {
    push(stretch.lines[i], listener);
    if (i < stretch.monitors.size()) {
      beam::Moments unused;
      measure(real_ ? record_.monitors[stretch.monitors[i]] : unused, listener);
    }
  }
}

void Turn::push(const beam::Line& line, Listener& listener) {
  if (line.size() == 0) return;
  listener.kernel(line.card(), held_particles(), [&] {
    const beam::ParticleView all = bunch_.particles->view();
    beam::PushContext context{};
    context.seed = description_.seed;
    context.turn = static_cast<std::uint64_t>(number_);
    context.beam = static_cast<std::uint32_t>(bunch_.constants.number);
    constexpr std::int64_t part = 4096;
    const int parts = static_cast<int>((all.size + part - 1) / part);
    const std::size_t apertures = line.apertures();
    std::vector<std::int64_t> stopped(apertures * threads_);
    parallel::for_tasks(parts, threads_, [&](int task, int thread) {
      const std::int64_t begin = task * part;
      line.push(all.part(begin, std::min(part, all.size - begin)), context,
                apertures > 0 ? &stopped[apertures * thread] : nullptr);
    });
    for (std::size_t i = 0; i < stopped.size(); ++i)
      record_.stopped[passed_ + i % apertures] += stopped[i];
    passed_ += apertures;
    if (description_.apertures > 0) bunch_.particles->remove_lost();
  });
}

void Turn::measure(beam::Moments& moments, Listener& listener) {
  constexpr int order = 2;
  std::array<std::int64_t, 1> alive{};
  beam::Bounds bounds{};
  if (bunch_.particles) {
    bunch_.particles->remove_lost();
    alive[0] = bunch_.particles->size();
  }
  listener.sum(phases::losses, alive, exchanges_.team());
  listener.kernel(beam::bounds_card(), held_particles(),
                  [&] { beam::update_bounds(bunch_.particles->view(), bounds); });
  bunch_.bounds = bounds;
  listener.max(phases::moments, bounds, exchanges_.team());
  beam::MomentSums sums(order, bounds, std::max<std::int64_t>(1, alive[0]));
  listener.kernel(beam::MomentSums::card(order), held_particles(), [&] {
    const beam::ParticleView all = bunch_.particles->view();
    std::vector<beam::MomentSums> parts(threads_, sums);
    parallel::for_blocks(all.size, threads_, [&](std::int64_t begin, int count, int thread) {
      parts[thread].add(all.part(begin, count));
    });
    for (const beam::MomentSums& part : parts) sums.add(part);
  });
  listener.sum(phases::moments, sums.values(), exchanges_.team());
  moments = sums.moments(static_cast<double>(alive[0]));
  // Whoever receives the particles knows their bounds, unless some coordinate is not finite.
  double all = 0.0;
  for (int k = 0; k < 6; ++k) all += std::fabs(moments.mean[k]) + moments.covariance[k][k];
  bunch_.exposed = !std::isfinite(all);
}

void Turn::end(Listener& listener) {
  traverse(description_.stretches.back(), listener);
  wrap_particles(listener);
  measure(record_.moments, listener);
  count_losses(listener);
  if (description_.tracked > 0) record_tracked(listener);
}

void Turn::count_losses(Listener& listener) {
  // A plan tells the same sum, and has no record.
  std::vector<std::int64_t> counts(1 + static_cast<std::size_t>(description_.apertures));
  counts[0] = record_.outside;
  std::ranges::copy(record_.stopped, counts.begin() + 1);
  listener.sum(phases::losses, counts, exchanges_.team());
  record_.outside = counts[0];
  record_.stopped.assign(counts.begin() + 1, counts.end());
  record_.losses =
      description_.bunch.macroparticles - static_cast<std::int64_t>(record_.moments.particles);
}

void Turn::record_tracked(Listener& listener) {
  const int tracked = description_.tracked;
  std::vector<double> rows(static_cast<std::size_t>(tracked) * beam::tracked_width, 0.0);
  if (bunch_.particles && bunch_.first_id < tracked)
    beam::write_tracked(bunch_.particles->view(), tracked, rows.data());
  listener.sum(phases::tracked, rows, exchanges_.team());
  record_.tracked = beam::tracked_coordinates(rows);
}

}  // namespace phasewise::spacecharge
