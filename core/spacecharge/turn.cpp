#include "spacecharge/turn.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "comm/share.hpp"
#include "parallel/loops.hpp"
#include "spacecharge/phases.hpp"

namespace phasewise::spacecharge {

using workload::Piece;

namespace {

int size_of(const std::pair<int, int>& range) { return range.second - range.first; }

// Green functions that a rank keeps: a bunch that breathes in x and y meets some tens of meshes in
// a period. The same on every rank, so that all find the same ones.
std::size_t greens_to_keep(const field::DoubledBox& grid, int ranks) {
  constexpr std::int64_t memory = std::int64_t{1} << 28, fewest = 4, most = 64;
  const std::int64_t columns = (grid.columns() + ranks - 1) / ranks;
  const std::int64_t bytes = 8 * columns * grid.green_stride();
  return static_cast<std::size_t>(std::clamp(memory / bytes, fewest, most));
}

}  // namespace

std::vector<Piece> pieces_of(const Description& description) {
  std::vector<Piece> result{
      {.name = pieces::green, .kind = Piece::Kind::data_dependent, .per = "mesh"}};
  for (int k = 0; k < description.kicks; ++k)
    result.push_back({.name = pieces::step, .kind = Piece::Kind::series, .index = k});
  result.push_back({.name = pieces::end});
  return result;
}

Turn::Turn(const Description& description, const workload::Nodes& nodes,
           const comm::TeamPointer& team, bool real, int threads)
    : description_(description),
      nodes_(nodes),
      real_(real),
      threads_(threads),
      grid_(description.grid),
      exchanges_(grid_, description.settings, nodes, team),
      bunch_{description.bunch} {
  std::tie(bunch_.first_id, bunch_.last_id) =
      comm::share(description.bunch.macroparticles, static_cast<int>(nodes.size()), team->me);
  mesh_.n = description.grid;
  if (!real) return;
  solver_ = std::make_unique<field::BoxSolver>(description.grid, description.green, threads);
  solver_->set_green_capacity(greens_to_keep(grid_, static_cast<int>(nodes.size())));
  // A rank without planes or columns still has memory: null would mean messages without contents.
  const auto reserve = [](auto& buffer, std::int64_t size) {
    buffer.reserve(std::max<std::int64_t>(1, size));
  };
  reserve(values_, mesh_.nodes());
  reserve(planes_, static_cast<std::int64_t>(size_of(exchanges_.planes())) * grid_.columns());
  if (!exchanges_.alone()) reserve(columns_, size_of(exchanges_.columns()) * grid_.column_stride());
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
}

void Turn::tell(const Piece& piece, Listener& listener) {
  if (piece.name == pieces::step)
    step(piece.index, listener);
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

void Turn::step(int number, Listener& listener) {
  traverse(description_.stretches[number], listener);
  choose_mesh(listener);
  listener.kernel(deposit_card(nodes_each()), held_particles(), [&] {
    record_.outside += deposit_.run(bunch_.particles->view(), mesh_, description_.charge_quantum(),
                                    values_.data(), threads_);
  });
  const auto share_values = [&](comm::Channel channel, const comm::ExchangePointer& exchange) {
    if (exchanges_.alone()) return;
    listener.start(channel, [&] {
      const comm::ItemBuffer mesh =
          real_ ? comm::ItemBuffer(values_.data(), mesh_.nodes()) : comm::ItemBuffer();
      return std::vector<comm::Work>{{exchange, mesh, mesh}};
    });
    listener.finish(channel);
  };
  share_values(channels::charge, exchanges_.charge());
  solve(listener);
  share_values(channels::field, exchanges_.field());
  listener.kernel(kick_card(nodes_each()), held_particles(), [&] {
    kick(bunch_.particles->view(), mesh_, values_.data(), description_.kick_factor(), threads_);
  });
}

// Every rank finds the same mesh, and the same Green function kept or not.
void Turn::choose_mesh(Listener& listener) {
  if (description_.half_width) {
    mesh_ = fixed_mesh(*description_.half_width, description_.grid);
  } else {
    std::array<double, 6> sides{};  // maxima of minus the lower ones, and of the higher ones
    listener.kernel(extent_card(), held_particles(), [&] {
      const Extent here = extent_of(bunch_.particles->view(), threads_);
      for (int axis = 0; axis < 3; ++axis) {
        sides[axis] = -here.low[axis];
        sides[3 + axis] = here.high[axis];
      }
    });
    listener.max(phases::extent, sides, exchanges_.team());
    if (real_)
      mesh_ = following_mesh({{-sides[0], -sides[1], -sides[2]}, {sides[3], sides[4], sides[5]}},
                             description_.grid);
  }
  if (!real_) return;
  green_ =
      solver_->find_green({green_key(), exchanges_.columns().first, size_of(exchanges_.columns())});
  if (!green_) make_green(listener);
}

// In the bunch's rest frame lengths along z are γ times as long.
field::BoxGreenKey Turn::green_key() const {
  return {{mesh_.h[0], mesh_.h[1], description_.bunch.gamma() * mesh_.h[2]}};
}

void Turn::make_green(Listener& listener) {
  const auto [first, last] = exchanges_.green_planes();
  const auto [begin, end] = exchanges_.columns();
  const int planes = last - first, columns = end - begin;
  parallel::Buffer<double> distances;
  auto made = std::make_shared<field::BoxGreenTransform>();
  if (real_) {
    distances.reserve(std::max<std::int64_t>(1, std::int64_t{planes} * grid_.columns()));
    made->key = {green_key(), begin, columns};
    made->values.reserve(std::max<std::int64_t>(1, columns * grid_.green_stride()));
    ++greens_made_;
  }
  listener.kernel(grid_.green_plane_card(), planes, [&, first = first] {
    solver_->green_planes(green_key(), first, planes, distances.data());
  });
  if (exchanges_.alone()) {
    if (real_)
      for (int c = 0; c < columns; ++c)
        for (int k = 0; k < planes; ++k)
          made->values[c * grid_.green_stride() + k] =
              distances[static_cast<std::int64_t>(k) * grid_.columns() + c];
  } else {
    listener.transpose(exchanges_.green(), {distances.data(), distances.size()},
                       {made->values.data(), made->values.size()});
  }
  listener.kernel(grid_.green_column_card(), columns,
                  [&] { solver_->green_columns(made->values.data(), columns); });
  if (real_) green_ = solver_->keep_green(std::move(made));
}

void Turn::solve(Listener& listener) {
  const auto [first, last] = exchanges_.planes();
  const int planes = last - first, columns = size_of(exchanges_.columns());
  double* values = real_ ? values_.data() + first * mesh_.plane() : nullptr;
  listener.kernel(grid_.plane_card(), planes,
                  [&] { solver_->forward(values, planes, planes_.data()); });
  const comm::ItemBuffer in_planes(planes_.data(), planes_.size());
  const comm::ItemBuffer in_columns(columns_.data(), columns_.size());
  if (!exchanges_.alone()) listener.transpose(exchanges_.to_columns(), in_planes, in_columns);
  listener.kernel(grid_.column_card(), columns, [&] {
    if (exchanges_.alone())
      solver_->convolve_planes(planes_.data(), *green_);
    else
      solver_->convolve(columns_.data(), columns, green_->values.data());
  });
  if (!exchanges_.alone()) listener.transpose(exchanges_.to_planes(), in_columns, in_planes);
  listener.kernel(grid_.plane_card(), planes,
                  [&] { solver_->backward(planes_.data(), planes, values); });
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
    parallel::for_tasks(parts, threads_, [&](int task, int) {
      const std::int64_t begin = task * part;
      line.push(all.part(begin, std::min(part, all.size - begin)), context);
    });
    if (description_.loses) bunch_.particles->remove_lost();
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
  // Whoever gets the particles knows their bounds, unless some coordinate is not finite.
  double all = 0.0;
  for (int k = 0; k < 6; ++k) all += std::fabs(moments.mean[k]) + moments.covariance[k][k];
  bunch_.exposed = !std::isfinite(all);
}

void Turn::end(Listener& listener) {
  traverse(description_.stretches.back(), listener);
  measure(record_.moments, listener);
  std::array<std::int64_t, 1> outside{record_.outside};
  listener.sum(phases::losses, outside, exchanges_.team());
  record_.outside = outside[0];
  record_.losses =
      description_.bunch.macroparticles - static_cast<std::int64_t>(record_.moments.particles);
}

}  // namespace phasewise::spacecharge
