#include "driver/simulation.hpp"

#include <limits>
#include <stdexcept>
#include <string>
#include <tuple>

#include "driver/build_communication.hpp"
#include "driver/build_line.hpp"
#include "driver/build_point.hpp"
#include "driver/point.hpp"
#include "parallel/loops.hpp"

namespace phasewise::driver {

using beam::ParticleView;

Simulation::Simulation(const std::string& text, int threads)
    : world_(comm::Communicator::world(recorder_)), threads_(threads) {
  if (threads < 1 || threads > 4096)
    throw std::invalid_argument("threads = " + std::to_string(threads) + ": give 1 to 4096");
  const Parameters parameters = Parameters::parse(text);
  seed_ = static_cast<std::uint64_t>(parameters.integer("seed"));
  parameters.integer("turns");  // the run loop counts them
  read_records(parameters);
  read_simulated(parameters);
  settings_ = build_settings(parameters);
  nodes_ = nodes_of(settings_, world_.size(), world_.nodes());
  times_.observe([this](const std::string& name, double start, double end) {
    recorder_.computed(recorder_.phase(name), start, end);
  });
  for (int b = 0; b < 2; ++b) read_bunch(parameters, b);
  build_points(parameters);
  fill_bunches(parameters);
  parameters.check_all_used();
}

void Simulation::read_records(const Parameters& parameters) {
  moments_order_ = static_cast<int>(parameters.integer("records.moments_order"));
  if (moments_order_ != 2 && moments_order_ != 4)
    parameters.fail("records.moments_order", "give 2 or 4");
  tracked_ = static_cast<int>(parameters.not_negative("records.tracked"));
  slices_every_ =
      parameters.has("records.slices_every") ? parameters.integer("records.slices_every") : 0;
  if (parameters.has("records.events"))
    recorder_.keep_events(static_cast<std::size_t>(parameters.not_negative("records.events")));
  if (parameters.has("records.communication"))
    recorder_.set_recording(parameters.integer("records.communication") != 0);
}

void Simulation::read_simulated(const Parameters& parameters) {
  const auto number = [&](const char* key) {
    return parameters.has(key) ? parameters.not_negative(key) : 0.0;
  };
  sample_ = static_cast<int>(number("simulated.steps"));
  skeleton_ = number("simulated.skeleton") != 0.0;
  comm::set_rates(number("simulated.flops"), number("simulated.bandwidth"));
  times_.only_charge(skeleton_);
}

// First what the ranks do together, for all points, and then what takes memory: where it runs out
// on one rank alone, no other waits for that rank.
void Simulation::build_points(const Parameters& parameters) {
  std::vector<collision::Decomposition*> shared;  // of each point; null without a mesh
  const int points = static_cast<int>(parameters.positive("ip.count"));
  for (int ip = 1; ip <= points; ++ip) {
    auto point = std::make_unique<Point>();
    point->description = build_point(parameters, ip);
    for (int b = 0; b < 2; ++b) {
      point->design[b] = design_moments(parameters, b + 1, ip);
      bunches_[b].segments.push_back(build_line(parameters, b + 1, ip));
    }
    const collision::InteractionPoint& description = point->description;
    const collision::ProcessGrid grid =
        build_process_grid(settings_, world_.size(), description.slices, seed_, nodes_);
    if (!groups_) {
      std::vector<int> beam_of;
      beam_of.reserve(world_.size());
      for (int rank = 0; rank < world_.size(); ++rank) beam_of.push_back(grid.place(rank).beam);
      groups_ = std::make_unique<collision::BeamGroups>(world_, std::array{tracked(0), tracked(1)},
                                                        beam_of);
    }
    const bool has_mesh = description.model == collision::Model::strong_strong;
    if (has_mesh && !(tracked(0) && tracked(1)))
      parameters.fail(
          "ip." + std::to_string(ip) + ".model",
          "both beams must be tracked here, but one is the strong beam of another point");
    shared.push_back(has_mesh ? &decomposition(grid) : nullptr);
    points_.push_back(std::move(point));
  }
  for (std::size_t i = 0; i < points_.size(); ++i) {
    Point& point = *points_[i];
    const collision::InteractionPoint& description = point.description;
    if (shared[i])
      point.strong_strong = strong_strong(description, *shared[i]);
    else if (description.model != collision::Model::none)
      point.gaussian =
          std::make_unique<collision::GaussianCollision>(description, *groups_, threads_, times_);
  }
}

std::unique_ptr<collision::StrongStrong> Simulation::strong_strong(
    const collision::InteractionPoint& ip, collision::Decomposition& shared) {
  return std::make_unique<collision::StrongStrong>(ip, *groups_, shared, threads_, times_, sample_,
                                                   skeleton_);
}

// Interaction points with the same process grid share one.
collision::Decomposition& Simulation::decomposition(const collision::ProcessGrid& grid) {
  for (const auto& made : decompositions_)
    if (made->grid.shape(0) == grid.shape(0) && made->grid.shape(1) == grid.shape(1)) return *made;
  decompositions_.push_back(
      std::make_unique<collision::Decomposition>(world_, recorder_, grid, settings_));
  return *decompositions_.back();
}

void Simulation::set_communication(const std::string& text) {
  const Parameters parameters = Parameters::parse(text);
  for (const char* place : {"process_grid", "layout", "places", "node_size"}) {
    const std::string key = std::string("communication.") + place;
    if (parameters.has(key))
      parameters.fail(key, "ranks keep their places while a simulation goes on");
  }
  collision::Settings settings = build_settings(parameters);
  parameters.check_all_used();
  settings.shapes = settings_.shapes;
  settings.layout = settings_.layout;
  settings.places = settings_.places;
  settings.node_size = settings_.node_size;
  const auto share = [&](const collision::Settings& how) {
    for (const auto& made : decompositions_) made->settings = how;
  };
  share(settings);
  std::vector<std::unique_ptr<collision::StrongStrong>> made(points_.size());
  try {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (!points_[i]->strong_strong) continue;
      const collision::InteractionPoint& ip = points_[i]->description;
      const collision::ProcessGrid grid =
          build_process_grid(settings_, world_.size(), ip.slices, seed_, nodes_);
      made[i] = strong_strong(ip, decomposition(grid));
    }
  } catch (...) {
    share(settings_);
    throw;
  }
  settings_ = std::move(settings);
  for (std::size_t i = 0; i < points_.size(); ++i)
    if (made[i]) points_[i]->strong_strong = std::move(made[i]);
}

Simulation::~Simulation() = default;

void Simulation::read_bunch(const Parameters& parameters, int b) {
  const std::string of = "beam." + std::to_string(b + 1) + ".";
  Bunch& bunch = bunches_[b];
  bunch.number = b + 1;
  bunch.charge = parameters.number(of + "charge");
  bunch.mass = parameters.positive(of + "mass");
  bunch.energy = parameters.positive(of + "energy");
  bunch.population = parameters.positive(of + "population");
  bunch.macroparticles = parameters.integer(of + "macroparticles");
  bunch.strong = parameters.integer(of + "strong") != 0;
  if (bunch.macroparticles < 1 || bunch.macroparticles > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument(of + "macroparticles must lie between 1 and 4294967295");
  if (!(bunch.energy > bunch.mass))
    throw std::invalid_argument(of + "energy must be larger than the particle's mass");
}

void Simulation::fill_bunches(const Parameters& parameters) {
  for (int b = 0; b < 2; ++b) {
    Bunch& bunch = bunches_[b];
    const beam::BunchDescription description = build_bunch(parameters, b + 1);
    if (!groups_->holds(b)) continue;
    std::tie(bunch.first_id, bunch.last_id) = groups_->my_ids(b, bunch.macroparticles);
    if (skeleton_) continue;
    bunch.particles.emplace(bunch.last_id - bunch.first_id);
    const ParticleView all = bunch.particles->view();
    parallel::for_blocks(all.size, threads_, [&](std::int64_t begin, int count, int) {
      const ParticleView block = all.part(begin, count);
      for (int i = 0; i < count; ++i)
        block.id[i] = static_cast<std::uint32_t>(bunch.first_id + begin + i);
      beam::fill(block, description, seed_, static_cast<std::uint32_t>(b + 1));
    });
  }
}

void Simulation::replace_particles(int b, const ParticleView& from) {
  Bunch& bunch = bunches_[b];
  const std::string of = " of beam " + std::to_string(b + 1);
  if (!bunch.particles || from.size > bunch.particles->capacity())
    throw std::invalid_argument("more particles" + of + " than belong to this rank");
  std::vector<bool> met(static_cast<std::size_t>(bunch.last_id - bunch.first_id), false);
  for (std::int64_t i = 0; i < from.size; ++i) {
    const std::int64_t place = from.id[i] - bunch.first_id;
    if (place < 0 || place >= std::ssize(met))
      throw std::invalid_argument("particle " + std::to_string(from.id[i]) + of +
                                  " does not belong to this rank");
    if (met[place])
      throw std::invalid_argument("particle " + std::to_string(from.id[i]) + of +
                                  " is given twice");
    met[place] = true;
  }
  bunch.particles->resize(from.size);
  bunch.exposed = true;
  const ParticleView to = bunch.particles->view();
  for (std::int64_t i = 0; i < from.size; ++i) {
    beam::store(to, i, beam::load(from, i));
    to.id[i] = from.id[i];
  }
}

ParticleView Simulation::particles(int b) {
  Bunch& bunch = bunches_[b];
  if (bunch.particles) return bunch.particles->view();
  ParticleView counted{};
  if (skeleton_ && groups_->holds(b)) counted.size = bunch.last_id - bunch.first_id;
  return counted;
}

void Simulation::step() {
  const double start = parallel::clock().now();
  record_ = {};
  for (int ip = 0; ip < interaction_points(); ++ip) {
    collide(ip);
    leave_and_push(ip);
  }
  ++turn_;
  seconds_ += parallel::clock().now() - start;
}

}  // namespace phasewise::driver
