// What a simulation shows beside its turn-by-turn moments: tracked particles, slices, the field of
// a slice.
#include <limits>

#include "driver/point.hpp"
#include "driver/simulation.hpp"
#include "parallel/loops.hpp"

namespace phasewise::driver {

void Simulation::record_arrival() {
  for (int b = 0; b < 2; ++b) {
    record_.beam[b].moments = bunches_[b].moments;
    record_.beam[b].losses = bunches_[b].macroparticles - bunches_[b].alive;
  }
}

// Each tracked particle lives on one rank; the others add zeros. The seventh number tells whether
// it lives.
void Simulation::record_tracked(int b) {
  constexpr int width = 7;
  std::vector<double> values(static_cast<std::size_t>(tracked_) * width, 0.0);
  if (bunches_[b].particles && bunches_[b].first_id < tracked_) {
    const beam::ParticleView p = bunches_[b].particles->view();
    for (std::int64_t i = 0; i < p.size; ++i)
      if (p.id[i] < static_cast<std::uint32_t>(tracked_)) {
        const double row[width] = {p.x[i], p.px[i], p.y[i], p.py[i], p.z[i], p.delta[i], 1.0};
        std::copy_n(row, width, values.begin() + static_cast<std::int64_t>(p.id[i]) * width);
      }
  }
  world_.sum("tracked", values);
  std::vector<double>& out = record_.beam[b].tracked;
  for (int i = 0; i < tracked_; ++i)
    for (int c = 0; c < 6; ++c)
      out.push_back(values[i * width + 6] > 0.0 ? values[i * width + c]
                                                : std::numeric_limits<double>::quiet_NaN());
}

std::string Simulation::communication() const {
  const int rank = world_.rank();
  collision::Place place;
  if (!decompositions_.empty() && world_.size() > 1)
    place = decompositions_.front()->grid.place(rank);
  return recorder_.to_json(
      {rank,
       nodes_[rank],
       {{"beam", place.beam + 1}, {"column", place.column}, {"row", place.row}},
       seconds_,
       world_.clock_offset()});
}

std::array<collision::Shape, 2> Simulation::shapes() const {
  if (!decompositions_.empty()) {
    const collision::ProcessGrid& grid = decompositions_.front()->grid;
    return {grid.shape(0), grid.shape(1)};
  }
  const std::array<int, 2> ranks = collision::ranks_of_beams(world_.size());
  return {collision::Shape{ranks[0], 1}, collision::Shape{ranks[1], 1}};
}

const std::vector<double>& Simulation::pair_luminosity(int ip) const {
  return points_[ip]->result.pair_luminosity;
}

const std::array<std::vector<collision::GaussianSlice>, 2>& Simulation::slices(int ip) const {
  return points_[ip]->slices;
}

int Simulation::slice_count(int ip) const { return points_[ip]->description.slices; }

collision::SliceField Simulation::slice_field(int b, int slice) {
  Point& point = *points_[0];
  if (!point.strong_strong || point.last[b].cuts.slices() <= slice || !groups_->holds(b)) return {};
  const collision::CollisionFrame into = frame(0, b);
  const beam::SliceCuts& cuts = point.last[b].cuts;
  const auto in_slice = [&](double z) {
    return (slice == 0 || z < cuts.cut[slice - 1]) &&
           (slice == cuts.slices() - 1 || z >= cuts.cut[slice]);
  };
  const beam::ParticleView all = bunches_[b].particles->view();
  return point.strong_strong->field_of(point.last, b, slice, [&](auto&& deposit) {
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

}  // namespace phasewise::driver
