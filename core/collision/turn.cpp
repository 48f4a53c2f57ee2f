#include "collision/turn.hpp"

#include <tuple>
#include <utility>

#include "collision/exchange/schedule.hpp"

namespace phasewise::collision {

using workload::Piece;

std::vector<Piece> pieces_of(const Description& description, double greens) {
  using Kind = Piece::Kind;
  std::vector<Piece> result;
  for (int ip = 0; ip < static_cast<int>(description.points.size()); ++ip) {
    const InteractionPoint& point = description.points[ip];
    result.push_back({.name = pieces::arrival, .part = ip});
    if (point.model != Model::none && description.slices_every > 0)
      result.push_back({.name = pieces::slices,
                        .kind = Kind::data_dependent,
                        .per = "measurement",
                        .part = ip,
                        .expected = 1.0 / static_cast<double>(description.slices_every),
                        .first = 1.0});
    if (point.model == Model::strong_strong) {
      if (!point.green_every_step)
        result.push_back({.name = pieces::green,
                          .kind = Kind::data_dependent,
                          .per = "mesh",
                          .part = ip,
                          .first = greens,
                          .inside = true});
      for (int k = 0; k < steps(point.slices); ++k)
        result.push_back({.name = pieces::step,
                          .kind = Kind::series,
                          .part = ip,
                          .index = k,
                          .size = static_cast<double>(Step{point.slices, k}.pairs())});
    } else if (point.model != Model::none) {
      result.push_back({.name = pieces::gaussian, .part = ip});
    }
    result.push_back({.name = pieces::departure, .part = ip});
  }
  return result;
}

Turn::Turn(const Description& description, const std::vector<ProcessGrid>& grids, int rank,
           Contents contents, int threads, std::unique_ptr<DeviceWork> device,
           const std::vector<CollisionMesh>* meshes)
    : description_(description),
      grids_(grids),
      meshes_(meshes),
      rank_(rank),
      contents_(contents),
      threads_(threads),
      groups_(grids.front(), {description.is_tracked(0), description.is_tracked(1)}, rank),
      device_(std::move(device)),
      settings_(std::make_unique<Settings>(description.settings)),
      bunches_{beam::Bunch{description.bunches[0]}, beam::Bunch{description.bunches[1]}} {
  for (int ip = 0; ip < static_cast<int>(description.points.size()); ++ip) {
    const InteractionPoint& about = description.points[ip];
    Point& point = points_.emplace_back(Point{.description = about});
    point.collides = about.model != Model::none;
    if (contents == Contents::particles)
      for (int b = 0; b < 2; ++b) prepare_radiation(ip, b);
    if (about.model == Model::strong_strong)
      point.strong_strong = make_strong_strong(ip, *settings_);
    else if (about.model != Model::none)
      point.gaussian =
          std::make_unique<GaussianCollision>(about, groups_, threads, contents, device_.get());
  }
  for (int b = 0; b < 2; ++b) {
    beam::Bunch& bunch = bunches_[b];
    if (!groups_.holds(b)) continue;
    std::tie(bunch.first_id, bunch.last_id) = groups_.my_ids(b, bunch.constants.macroparticles);
    if (contents == Contents::particles) bunch.fill(description.seed, threads);
  }
}

Turn::~Turn() = default;

void Turn::prepare_radiation(int ip, int b) {
  Point& point = points_[ip];
  const InteractionPoint& about = point.description;
  const beam::BunchConstants &bunch = description_.bunches[b], &other = description_.bunches[1 - b];
  if (about.beamstrahlung != Beamstrahlung::none && groups_.holds(b))
    point.radiating[b] = std::make_unique<RadiatingBeam>(
        about.beamstrahlung, bunch, about.angle.cos_phi, ip, description_.seed, threads_);
  if (!about.bhabha.on) return;
  const auto losing = bunch.momentum_aperture;
  const ScatteringBeam scattering(about.bhabha, bunch, other, about.angle.cos_phi, ip,
                                  description_.seed, threads_);
  point.expected[b] = std::make_unique<ExpectedScattering>(scattering.physics(), about.bhabha.least,
                                                           losing ? -(*losing)[0] : 0.0);
  if (groups_.holds(b))
    point.scattering[b] = std::make_unique<ScatteringBeam>(
        about.bhabha, bunch, other, about.angle.cos_phi, ip, description_.seed, threads_);
}

std::unique_ptr<StrongStrong> Turn::make_strong_strong(int ip, const Settings& settings) const {
  const bool staged =
      device_ ? !device_->exchanges_directly() : contents_ == Contents::none && description_.staged;
  auto made = std::make_unique<StrongStrong>(description_.points[ip], groups_, grids_[ip], settings,
                                             rank_, threads_, contents_, device_.get(),
                                             transforms(ip), staged && grids_[ip].ranks() > 1);
  if (meshes_ != nullptr) made->plan_on((*meshes_)[ip]);
  return made;
}

field::Transforms Turn::transforms(int ip) const {
  const field::Transforms of_cpu = description_.points[ip].transforms;
  if (device_) return device_->transforms(of_cpu);
  const bool on_gpu = contents_ == Contents::none && description_.planned_on_gpu;
  return on_gpu ? field::Transforms::fftw : of_cpu;  // as gpu/poisson.hpp
}

void Turn::set_settings(const Settings& settings) {
  auto kept = std::make_unique<Settings>(settings);
  std::vector<std::unique_ptr<StrongStrong>> made(points_.size());
  for (std::size_t ip = 0; ip < points_.size(); ++ip)
    if (points_[ip].strong_strong) made[ip] = make_strong_strong(static_cast<int>(ip), *kept);
  for (std::size_t ip = 0; ip < points_.size(); ++ip)
    if (made[ip]) points_[ip].strong_strong = std::move(made[ip]);
  settings_ = std::move(kept);
}

beam::Bunch& Turn::bunch(int b) {
  if (std::exchange(newer_there_[b], false)) device_->give(b, bunches_[b].particles->view());
  return bunches_[b];
}

void Turn::begin(std::int64_t number) {
  number_ = number;
  record_ = {};
}

void Turn::tell(const Piece& piece, Listener& listener) {
  Point& point = points_[piece.part];
  if (piece.name == pieces::arrival) return arrive(piece.part, listener);
  if (piece.name == pieces::departure) return depart(piece.part, listener);
  // Beams no longer meet once one of them has lost its last particle.
  if (!point.collides) return;
  if (piece.name == pieces::slices) {
    measure_slices(point, listener);
  } else if (piece.name == pieces::gaussian) {
    point.result = point.gaussian->collide(point.beams, listener);
  } else if (piece.name == pieces::green) {
    point.strong_strong->make_green(listener);
  } else {
    point.strong_strong->run_step({point.description.slices, piece.index}, listener);
  }
}

double Turn::held_particles(int b) const {
  const beam::Bunch& bunch = bunches_[b];
  if (bunch.particles) return static_cast<double>(bunch.particles->size());
  if (contents_ == Contents::none) return groups_.mean_share(b, bunch.constants.macroparticles);
  return static_cast<double>(bunch.last_id - bunch.first_id);
}

}  // namespace phasewise::collision
