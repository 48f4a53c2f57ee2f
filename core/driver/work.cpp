#include "driver/work.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "beam/moments.hpp"
#include "collision/strong_strong.hpp"
#include "driver/build_communication.hpp"
#include "driver/build_line.hpp"
#include "driver/build_point.hpp"
#include "field/poisson.hpp"

namespace phasewise::driver {
namespace {

using collision::InteractionPoint;
using collision::Step;

constexpr double flops_per_element = 80.0;  // as turn.cpp

// The largest share that one of `parts` owners has of n things.
double largest_share(int n, int parts) {
  const int most = (n + parts - 1) / parts;
  return static_cast<double>(most) / n;
}

// Macroparticles, and how they and the slices are divided.
class Study {
 public:
  Study(const Parameters& parameters, int ranks) : ranks_(ranks) {
    for (int b = 0; b < 2; ++b) {
      const std::string of = "beam." + std::to_string(b + 1) + ".";
      const bool strong = parameters.integer(of + "strong") != 0;
      particles_[b] = strong ? 0.0 : static_cast<double>(parameters.integer(of + "macroparticles"));
    }
    both_ = particles_[0] > 0.0 && particles_[1] > 0.0;
  }

  int ranks() const { return ranks_; }
  bool divided() const { return both_ && ranks_ > 1; }
  bool tracked(int b) const { return particles_[b] > 0.0; }
  double particles(int b) const { return particles_[b]; }
  // Beams that a rank holds.
  double held() const { return both_ && ranks_ == 1 ? 2.0 : 1.0; }
  // Particles of both beams on the fullest rank over those on the mean one.
  double particle_load(const std::array<collision::Shape, 2>& shapes,
                       std::array<double, 2> weight = {1.0, 1.0}) const {
    if (!divided()) return 1.0;
    double most = 0.0, sum = 0.0;
    for (int b = 0; b < 2; ++b) {
      most = std::max(most, weight[b] * particles_[b] / shapes[b].ranks());
      sum += weight[b] * particles_[b];
    }
    return sum > 0.0 ? most * ranks_ / sum : 1.0;
  }

 private:
  int ranks_;
  std::array<double, 2> particles_{};
  bool both_;
};

// Kernels of one interaction point, in the order of a turn.
class PointWork {
 public:
  PointWork(const Study& study, const InteractionPoint& point, int ip,
            std::array<collision::Shape, 2> shapes)
      : study_(study), point_(point), ip_(ip), shapes_(shapes), solver_(point.nx, point.ny) {
    for (int k = 0; k < collision::steps(point.slices); ++k) steps_.push_back({point.slices, k});
    cells_ = static_cast<double>(point.nx) * point.ny;
    pairs_ = static_cast<double>(point.slices) * point.slices;
  }

  void moments(int order) {
    particles("moments", {1.0, 1.0}, 8.0 * beam::MomentSums::terms(order), 96.0);
  }
  void collision(double meshes) {
    if (point_.model == collision::Model::none) return;
    particles("sort", {1.0, 1.0}, point_.slices, 114.0);
    if (point_.model == collision::Model::strong_strong)
      strong_strong(meshes);
    else
      particles("gaussian_encounter", {pairs_ / point_.slices, pairs_ / point_.slices}, 400.0,
                88.0);
  }
  void arc(std::array<double, 2> elements) {
    const double items = mean_particles({1.0, 1.0});
    add("arc", items, flops_per_element * mean_particles(elements) / items, 96.0,
        study_.particle_load(shapes_, elements));
  }
  const std::vector<KernelWork>& work() const { return work_; }

 private:
  void add(const char* name, double items, double flops_per_item, double bytes_per_item,
           double load) {
    work_.push_back({name, ip_, items, items * flops_per_item, items * bytes_per_item, load});
  }
  double mean_particles(std::array<double, 2> weight) const {
    return (weight[0] * study_.particles(0) + weight[1] * study_.particles(1)) / study_.ranks();
  }
  void particles(const char* name, std::array<double, 2> times, double flops, double bytes) {
    add(name, mean_particles(times), flops, bytes, study_.particle_load(shapes_));
  }

  void strong_strong(double meshes) {
    const double planes = point_.planes, held = study_.held();
    const double values = collision::values_per_node(point_.weighting, point_.planes);
    if (point_.green_every_step) meshes = collision::steps(point_.slices);
    green(meshes);
    add("clear", held * pairs_ * planes * cells_, 0.0, 8.0, 1.0);
    // A slice meets so many others, and its first charges are left before the first of them.
    const double passes = point_.slices + 1.0;
    particles("encounter", {passes, passes}, 60.0 * planes, 88.0);
    solve();
    add("field", held * pairs_ * cells_, 6.0 * planes, 8.0 * (planes + values), 1.0);
    if (point_.luminosity) luminosity();
  }

  // Each rank makes its part of every function.
  void green(double meshes) {
    double items = 0.0, flops = 0.0, bytes = 0.0, most = 0.0;
    for (int b = 0; b < (study_.divided() ? 2 : 1); ++b) {
      const int parts = shapes_[b].pcol;
      const double share = study_.divided() ? shapes_[b].ranks() / double(study_.ranks()) : 1.0;
      const double of_rank = meshes / parts * solver_.flops_per_green(parts);
      items += share * meshes / parts;
      flops += share * of_rank;
      bytes += share * meshes / parts * solver_.bytes_per_green(parts);
      most = std::max(most, of_rank);
    }
    work_.push_back({"green", ip_, items, flops, bytes, flops > 0.0 ? most / flops : 1.0});
  }

  // Meshes that the fullest column of a beam solves for, of all steps: each step waits for it.
  double most_meshes(int b) const {
    double sum = 0.0;
    for (const Step& step : steps_) {
      std::vector<int> of_column(static_cast<std::size_t>(shapes_[b].prow), 0);
      for (int p = 0; p < step.pairs(); ++p) ++of_column[step.own(b, p) % shapes_[b].prow];
      sum += *std::max_element(of_column.begin(), of_column.end());
    }
    return sum * point_.planes;
  }

  // By parts, the rows there and back and the columns are an item each.
  void solve() {
    const double meshes = pairs_ * point_.planes;
    double items = 0.0, most = 0.0;
    for (int b = 0; b < 2; ++b) {
      const int pcol = shapes_[b].pcol;
      items += meshes * (pcol == 1 ? 1.0 : 3.0);
      const double rank = solver_.row_flops() * largest_share(point_.nx, pcol) +
                          solver_.column_flops() * largest_share(solver_.columns(), pcol);
      most = std::max(most, most_meshes(b) * rank);
    }
    const double share = 1.0 / study_.ranks(), flops = share * 2.0 * meshes;
    work_.push_back({"solve", ip_, share * items, flops * solver_.flops_per_solve(),
                     flops * solver_.bytes_per_solve(),
                     study_.divided() ? most / (flops * solver_.flops_per_solve()) : 1.0});
  }

  // The charges between two planes by all, their overlap by the ranks of beam 1.
  void luminosity() {
    const double share = 1.0 / study_.ranks(), cells = pairs_ * cells_;
    const double between =
        point_.planes == 2 ? (study_.divided() ? 2.0 : 1.0) * share * cells : 0.0;
    const double overlap = share * cells;
    double load = 1.0;
    if (study_.divided()) {
      const auto most = [&](int b) {
        return most_meshes(b) / point_.planes * cells_ * largest_share(point_.nx, shapes_[b].pcol);
      };
      const double first = point_.planes == 2 ? 24.0 * std::max(most(0), most(1)) : 0.0;
      load = (first + 16.0 * most(0)) / (24.0 * between + 16.0 * overlap);
    }
    work_.push_back({"luminosity", ip_, between + overlap, 3.0 * between + 2.0 * overlap,
                     24.0 * between + 16.0 * overlap, load});
  }

  const Study& study_;
  const InteractionPoint& point_;
  int ip_;
  std::array<collision::Shape, 2> shapes_;
  field::PoissonSolver solver_;
  std::vector<Step> steps_;
  double cells_, pairs_;
  std::vector<KernelWork> work_;
};

}  // namespace

std::vector<KernelWork> planned_work(const Parameters& parameters, int ranks, double meshes) {
  if (ranks < 1) throw std::invalid_argument("give one rank or more");
  const collision::Settings settings = build_settings(parameters);
  const auto seed = static_cast<std::uint64_t>(parameters.integer("seed"));
  const int order = static_cast<int>(parameters.integer("records.moments_order"));
  const int points = static_cast<int>(parameters.positive("ip.count"));
  const Study study(parameters, ranks);
  std::vector<KernelWork> result;
  for (int ip = 1; ip <= points; ++ip) {
    const InteractionPoint point = build_point(parameters, ip);
    const collision::ProcessGrid grid =
        build_process_grid(settings, ranks, point.slices, seed,
                           nodes_of(settings, ranks, std::vector<int>(std::size_t(ranks), 0)));
    PointWork work(study, point, ip, {grid.shape(0), grid.shape(1)});
    std::array<double, 2> elements{};
    for (int b = 0; b < 2; ++b)
      elements[b] = static_cast<double>(build_line(parameters, b + 1, ip).size());
    work.moments(order);
    work.collision(meshes);
    work.arc(elements);
    result.insert(result.end(), work.work().begin(), work.work().end());
  }
  return result;
}

}  // namespace phasewise::driver
