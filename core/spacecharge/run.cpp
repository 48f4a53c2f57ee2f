#include "spacecharge/run.hpp"

#include <array>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "spacecharge/phases.hpp"
#include "workload/pieces.hpp"

namespace phasewise::spacecharge {
namespace {

constexpr const char* particle_rows = "particles";
constexpr const char* names[6] = {"x", "px", "y", "py", "z", "delta"};

std::array<double*, 6> columns(const beam::ParticleView& p) {
  return {p.x, p.px, p.y, p.py, p.z, p.delta};
}

}  // namespace

Run::Run(const std::shared_ptr<const SpaceCharge>& study, std::unique_ptr<workload::Session> owned)
    : workload::Run(study, std::move(owned)),
      description_(study->description()),
      // Only plans and skeletons need to know which meshes of the first turn are new.
      pieces_(workload::sampled_pieces(pieces_of(description_, {}), session().sample)),
      turn_of_rank_(description_, study->nodes(), session().team,
                    session().skeleton ? &study->first_meshes() : nullptr, session().threads),
      live_(session()) {}

void Run::run_turn() {
  turn_of_rank_.begin(turn());
  const int every = description_.sort_every;
  for (const workload::Piece& piece : pieces_) {
    const bool occurs =
        piece.name == pieces::sort ? every > 0 && turn() % every == 0 : piece.name != pieces::green;
    // Green functions that are not kept are made in the steps themselves.
    if (occurs) turn_of_rank_.tell(piece, live_);
  }
}

void Run::exchange_as(const workload::Parameters& parameters) {
  Settings settings = read_settings(parameters);
  settings.decomposition = description_.settings.decomposition;
  parameters.check_all_used();
  turn_of_rank_.set_settings(settings);
}

std::vector<workload::Value> Run::record() const {
  return turn_of_rank_.record().values(description_.bunch.number);
}

std::vector<std::pair<std::string, double>> Run::headline() const {
  const beam::Moments& m = turn_of_rank_.record().moments;
  return {{"sigma_x[m]", m.rms(0)}, {"sigma_y[m]", m.rms(2)}, {"sigma_z[m]", m.rms(4)}};
}

// The workload that makes a guest's bunch keeps its particles.
std::vector<std::string> Run::row_sets() const {
  return description_.guest ? std::vector<std::string>{} : std::vector<std::string>{particle_rows};
}

workload::Rows Run::rows(const std::string& set) const {
  if (set != particle_rows) return workload::Run::rows(set);
  auto& particles = const_cast<Turn&>(turn_of_rank_).bunch().particles;
  workload::Rows result;
  if (!particles) return result;
  const beam::ParticleView view = particles->view();
  result.id.assign(view.id, view.id + view.size);
  for (int k = 0; k < 6; ++k) {
    const double* values = columns(view)[k];
    result.columns.emplace_back(names[k], std::vector<double>(values, values + view.size));
  }
  return result;
}

std::vector<std::int64_t> Run::own_rows(const std::string& set) const {
  if (set != particle_rows) return workload::Run::own_rows(set);
  const beam::Bunch& bunch = turn_of_rank_.bunch();
  std::vector<std::int64_t> ids(static_cast<std::size_t>(bunch.last_id - bunch.first_id));
  std::iota(ids.begin(), ids.end(), bunch.first_id);
  return ids;
}

void Run::replace_rows(const std::string& set, const workload::Rows& rows) {
  if (set != particle_rows) return workload::Run::replace_rows(set, rows);
  const auto size = static_cast<std::int64_t>(rows.id.size());
  std::array<std::vector<double>, 6> values;
  for (int k = 0; k < 6; ++k)
    for (const auto& [name, column] : rows.columns)
      if (name == names[k]) values[k] = column;
  for (const auto& column : values)
    if (static_cast<std::int64_t>(column.size()) != size)
      throw std::invalid_argument("particles need the columns x, px, y, py, z and delta");
  std::vector<std::uint32_t> id(rows.id.begin(), rows.id.end());
  turn_of_rank_.bunch().replace_particles({values[0].data(), values[1].data(), values[2].data(),
                                           values[3].data(), values[4].data(), values[5].data(),
                                           id.data(), size});
}

std::vector<std::pair<std::string, double>> Run::piece_counts() const {
  if (!description_.has_mesh()) return {};
  return {{std::string(pieces::sort), static_cast<double>(turn_of_rank_.sorts())},
          {std::string(pieces::green), static_cast<double>(turn_of_rank_.greens_made())}};
}

}  // namespace phasewise::spacecharge
