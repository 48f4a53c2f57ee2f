#include "collision/design_mesh.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "collision/build_point.hpp"
#include "collision/mapped_moments.hpp"
#include "collision/waist.hpp"

namespace phasewise::collision {
namespace {

bool keeps_greens(const InteractionPoint& ip) {
  return ip.model == Model::strong_strong && !ip.green_every_step;
}

// The number at one point for each column of each beam.
std::array<std::vector<double>, 2> greens_of_columns(const InteractionPoint& ip,
                                                     const CollisionMesh& mesh,
                                                     const ProcessGrid& grid) {
  std::array<std::vector<std::vector<field::GreenKey>>, 2> met;
  for (int b = 0; b < 2; ++b) {
    // A single rank meets those of both beams.
    const int holder = grid.divided() ? b : 0;
    const int columns = grid.shape(holder).prow;
    met[holder].resize(static_cast<std::size_t>(columns));
    for (int own = 0; own < ip.slices[b]; ++own)
      for (int other = 0; other < ip.slices[1 - b]; ++other)
        for (int plane = 0; plane < ip.planes; ++plane) {
          const field::GreenKey key = mesh.green(b, own, other, plane);
          std::vector<field::GreenKey>& of_column = met[holder][own % columns];
          if (std::ranges::find(of_column, key) == of_column.end()) of_column.push_back(key);
        }
  }
  std::array<std::vector<double>, 2> result;
  for (int b = 0; b < 2; ++b)
    for (const auto& of_column : met[b]) result[b].push_back(static_cast<double>(of_column.size()));
  return result;
}

}  // namespace

CollisionFrame frame_of(const InteractionPoint& ip, int b, std::int64_t turn, Errors errors) {
  const auto [sx, sy] = ip.separation_at(turn);
  const double half = b == 0 ? 0.5 : -0.5;
  const CollisionFrame plain(ip.angle, ip.crab[b], half * sx, half * sy);
  const InsertedAround& around = ip.inserts[b];
  if (!around.any()) return plain;
  if (errors == Errors::left_out)
    return plain.with(around.before.design, around.behind.design, around.waist_slope);
  return plain.with(around.before.at(turn), around.behind.at(turn), around.waist_slope);
}

void cut_beam(CollidingBeam& beam, const beam::Moments& moments, const CollisionFrame& frame,
              const beam::LongitudinalHistogram* histogram, const InteractionPoint& ip,
              int number) {
  beam.moments = mapped(moments, frame.without_waist());
  const double mean = beam.moments.mean[4], rms = beam.moments.rms(4);
  std::optional<beam::LongitudinalHistogram> gaussian;
  if (histogram == nullptr) gaussian = gaussian_histogram(mean, rms);
  const beam::LongitudinalHistogram& along = gaussian ? *gaussian : *histogram;
  beam.cuts = beam::cut_slices(along, ip.slicing, ip.slices[number], mean, rms, ip.slice_extent);
  beam.waists = slice_waists(frame, ip.angle.cos_phi, beam.cuts);
  if (ip.beamstrahlung != Beamstrahlung::none) beam.density = SliceDensity(along, beam.cuts.cut);
}

std::vector<CollisionMesh> design_meshes(const Description& description) {
  std::vector<CollisionMesh> meshes(description.points.size());
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const InteractionPoint& ip = description.points[i];
    if (ip.model != Model::strong_strong) continue;
    std::array<CollidingBeam, 2> beams;
    for (int b = 0; b < 2; ++b)
      cut_beam(beams[b], description.design[i][b], frame_of(ip, b, 0, Errors::left_out), nullptr,
               ip, b);
    meshes[i] = choose_mesh(ip, beams);
  }
  return meshes;
}

double greens_for(const Description& description, const std::vector<CollisionMesh>& meshes,
                  const std::vector<ProcessGrid>& grids) {
  std::vector<double> of_ranks(static_cast<std::size_t>(grids.front().ranks()), 0.0);
  double points = 0.0;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    if (!keeps_greens(description.points[i])) continue;
    const auto of_columns = greens_of_columns(description.points[i], meshes[i], grids[i]);
    for (int rank = 0; rank < grids[i].ranks(); ++rank) {
      const Place place = grids[i].divided() ? grids[i].place(rank) : Place{};
      of_ranks[static_cast<std::size_t>(rank)] += of_columns[place.beam][place.column];
    }
    ++points;
  }
  return points > 0.0 ? std::ranges::max(of_ranks) / points : 0.0;
}

}  // namespace phasewise::collision
