// The output of a simulation: the record of a turn, the counts of its pieces, the field of a slice.
#include <algorithm>
#include <limits>

#include "collision/simulation.hpp"
#include "parallel/loops.hpp"

namespace phasewise::collision {
namespace {

using workload::Value;

template <class Container>
Value list(std::string name, const Container& values) {
  return {std::move(name), {values.size()}, {values.begin(), values.end()}};
}

Value matrix(std::string name, const std::array<std::array<double, 6>, 6>& m) {
  std::vector<double> values;
  for (const auto& row : m) values.insert(values.end(), row.begin(), row.end());
  return {std::move(name), {6, 6}, std::move(values)};
}

Value number(std::string name, double value) { return {std::move(name), {}, {value}}; }

}  // namespace

std::vector<Value> Simulation::record() const {
  const TurnRecord& record = state_.record();
  const auto tracked = static_cast<std::size_t>(description_.tracked);
  std::vector<Value> result{list("luminosity", record.luminosity)};
  for (int b = 0; b < 2; ++b) {
    const TurnRecord::Beam& beam = record.beam[b];
    const std::string of = std::to_string(b + 1) + "/";
    result.push_back(list(of + "mean", beam.moments.mean));
    result.push_back(matrix(of + "covariance", beam.moments.covariance));
    result.push_back(list(of + "moment3", beam.moments.third));
    result.push_back(list(of + "moment4", beam.moments.fourth));
    result.push_back(list(of + "emittance", beam::emittances(beam.moments)));
    result.push_back(number(of + "particles", beam.moments.particles));
    if (!description_.bunches[b].ramp.turns.empty()) {
      const double living = beam.moments.particles;
      result.push_back(number(of + "population",
                              description_.bunches[b].per_macroparticle(turn() - 1) * living));
    }
    result.push_back(number(of + "losses", static_cast<double>(beam.losses)));
    result.push_back(number(of + "debunched", static_cast<double>(beam.debunched)));
    result.push_back(list(of + "outside", beam.outside));
    add_energy(beam, of, result);
    if (tracked > 0) result.push_back({of + "tracked", {tracked, 6}, beam.tracked});
  }
  return result;
}

void Simulation::add_energy(const TurnRecord::Beam& beam, const std::string& of,
                            std::vector<Value>& to) const {
  if (!description_.loses_by_energy()) return;
  to.push_back(list(of + "lost_by_energy", beam.lost_radiating));
  if (description_.radiates()) {
    to.push_back(list(of + "photons", beam.photons));
    to.push_back(list(of + "photon_loss", beam.photon_loss));
    to.push_back(list(of + "photon_square", beam.photon_square));
    to.push_back(list(of + "upsilon", beam.upsilon));
  }
  if (!description_.scatters()) return;
  to.push_back(list(of + "bhabha_events", beam.scattered));
  to.push_back(list(of + "bhabha_lost", beam.lost_scattered));
  to.push_back(list(of + "bhabha_expected", beam.scattering_expected));
  to.push_back(list(of + "bhabha_losses_expected", beam.scattering_losses_expected));
}

std::vector<std::pair<std::string, double>> Simulation::headline() const {
  const TurnRecord& record = state_.record();
  const beam::Moments& m = record.beam[0].moments;
  return {{"luminosity[1/m^2]", record.luminosity.empty() ? 0.0 : record.luminosity[0]},
          {"x1[m]", m.mean[0]},
          {"y1[m]", m.mean[2]},
          {"sigma_x1[m]", m.rms(0)},
          {"sigma_y1[m]", m.rms(2)}};
}

std::vector<std::pair<std::string, double>> Simulation::piece_counts() const {
  double greens = 0.0;
  for (int ip = 0; ip < interaction_points(); ++ip)
    if (const auto& collision = point(ip).strong_strong;
        collision && !collision->green_every_step())
      greens += static_cast<double>(collision->greens_made());
  std::vector<std::pair<std::string, double>> counts;
  // Several interaction points may have a piece of this name; its count is the mean over them.
  const auto add = [&](std::string_view name, double in_all) {
    const auto alike = std::ranges::count(pieces_, name, &workload::Piece::name);
    if (alike > 0) counts.emplace_back(name, in_all / static_cast<double>(alike));
  };
  add(pieces::green, greens);
  add(pieces::slices, static_cast<double>(measurements_));
  return counts;
}

SliceField Simulation::slice_field(int b, int slice) {
  const workload::Session::Names names(session());
  const Turn::Point& point = state_.point(0);
  const beam::SliceCuts& cuts = point.beams[b].cuts;
  if (!point.strong_strong || cuts.slices() <= slice || !holds(b)) return {};
  const CollisionFrame into = state_.frame(0, b, turn());
  const auto in_slice = [&](double z) {
    return (slice == 0 || z < cuts.cut[slice - 1]) &&
           (slice == cuts.slices() - 1 || z >= cuts.cut[slice]);
  };
  const beam::ParticleView all = bunch(b).particles->view();
  return point.strong_strong->field_of(point.beams, b, slice, group_, [&](auto&& deposit) {
    double copy[6][parallel::block_size];
    std::uint32_t id[parallel::block_size];
    const beam::ParticleView block{copy[0], copy[1], copy[2], copy[3], copy[4], copy[5], id, 0};
    for (std::int64_t begin = 0; begin < all.size; begin += parallel::block_size) {
      const std::int64_t count = std::min<std::int64_t>(parallel::block_size, all.size - begin);
      for (std::int64_t i = 0; i < count; ++i) {
        beam::Coordinates c = beam::load(all, begin + i);
        into.enter(c);
        if (!in_slice(c.z)) c.x = std::numeric_limits<double>::quiet_NaN();
        beam::store(block, i, c);
      }
      deposit(block.part(0, count));
    }
  });
}

}  // namespace phasewise::collision
