#include "workload/session.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exchange/protocol.hpp"

namespace phasewise::workload {
namespace {

constexpr int max_threads = 4096;
constexpr int max_ranks = 1'000'000;

int checked_threads(int threads) {
  if (threads < 1 || threads > max_threads)
    throw std::invalid_argument("threads = " + std::to_string(threads) + ": give 1 to " +
                                std::to_string(max_threads));
  return threads;
}

double number_or_zero(const Parameters& parameters, const char* key) {
  return parameters.has(key) ? parameters.not_negative(key) : 0.0;
}

// The vector unit of the simulated processor; none on a real one, or if no computation is charged.
parallel::VectorUnit simulated_unit(const Parameters& parameters, double rate) {
  if (!parameters.has("simulated.vector_length")) return {};
  const double length = parameters.not_negative("simulated.vector_length");
  const double start = parameters.not_negative("simulated.loop_start");
  const double scalar = parameters.positive("simulated.scalar_flops");
  return {.length = length, .start = start * rate, .scalar = rate / scalar};
}

// The overheads of the simulated machine; zeros if none are given.
exchange::Overheads simulated_overheads(const Parameters& parameters) {
  exchange::Overheads seconds;
  constexpr const char* key = "simulated.overheads";
  if (!parameters.has(key)) return seconds;
  const std::vector<double> given = parameters.numbers(key, seconds.message.size());
  std::copy(given.begin(), given.end(), seconds.message.begin());
  seconds.round = number_or_zero(parameters, "simulated.round");
  return seconds;
}

// How many times a simulated rank's kernels are charged, from pairs of a rank and its number.
double simulated_slowness(const Parameters& parameters, int rank) {
  constexpr const char* key = "simulated.slow";
  if (!parameters.has(key)) return 1.0;
  const std::vector<double> given = parameters.list(key);
  if (given.size() % 2 != 0)
    parameters.fail(key, "give a rank, and how many times its kernels are charged, in pairs");
  double times = 1.0;
  for (std::size_t i = 0; i < given.size(); i += 2) {
    if (!(given[i + 1] > 0.0)) parameters.fail(key, "charge kernels a number of times above 0");
    if (given[i] == rank) times = given[i + 1];
  }
  return times;
}

}  // namespace

Device chosen_device(const Parameters& parameters) {
  constexpr const char* key = "run.device";
  if (!parameters.has(key)) return Device::cpu;
  return static_cast<Device>(parameters.choice(key, {"cpu", "cuda", "emulated", "auto"}));
}

DeviceBuffers chosen_device_buffers(const Parameters& parameters) {
  constexpr const char* key = "run.device_buffers";
  if (!parameters.has(key)) return DeviceBuffers::automatic;
  return static_cast<DeviceBuffers>(parameters.choice(key, {"auto", "direct", "staged"}));
}

std::vector<int> chosen_nodes(const Parameters& parameters, std::vector<int> detected) {
  constexpr const char* key = "communication.node_size";
  if (!parameters.has(key)) return detected;
  const std::int64_t size = parameters.integer(key);
  if (size < 0 || size > max_ranks)
    parameters.fail(key, "give the ranks of a node, or 0 to detect the nodes");
  if (size == 0) return detected;
  for (std::size_t rank = 0; rank < detected.size(); ++rank)
    detected[rank] = static_cast<int>(rank / static_cast<std::size_t>(size));
  return detected;
}

Records::Records() {
  kernels.observe([this](std::string_view name, double start, double end) {
    recorder.computed(recorder.phase(name), start, end);
  });
}

Session::Session(const Parameters& parameters, int threads_of_rank)
    : records_(std::make_shared<Records>()),
      recorder(records_->recorder),
      kernels(records_->kernels),
      world(comm::Communicator::world(recorder)),
      team(exchange::team_of_all(world.size(), world.rank())),
      threads(checked_threads(threads_of_rank)) {
  if (parameters.has("records.events"))
    recorder.keep_events(static_cast<std::size_t>(parameters.not_negative("records.events")));
  if (parameters.has("records.communication"))
    recorder.set_recording(parameters.integer("records.communication") != 0);
  device = chosen_device(parameters);
  device_buffers = chosen_device_buffers(parameters);
  sample = static_cast<int>(number_or_zero(parameters, "simulated.steps"));
  skeleton = number_or_zero(parameters, "simulated.skeleton") != 0.0;
  const double rate = number_or_zero(parameters, "simulated.flops");
  charges = rate > 0.0;
  comm::set_rates(rate, number_or_zero(parameters, "simulated.bandwidth"));
  comm::set_overheads(simulated_overheads(parameters));
  kernels.set_vector_unit(simulated_unit(parameters, rate));
  kernels.set_slowness(simulated_slowness(parameters, world.rank()));
  nodes = chosen_nodes(parameters, world.nodes());
}

Session::Session(const Session& whole, const exchange::TeamPointer& of,
                 comm::Communicator among_them, std::string names_begin)
    : records_(whole.records_),
      recorder(records_->recorder),
      kernels(records_->kernels),
      world(std::move(among_them)),
      team(of),
      prefix(std::move(names_begin)),
      threads(whole.threads),
      skeleton(whole.skeleton),
      sample(whole.sample) {
  for (const int rank : team->ranks) nodes.push_back(whole.nodes[rank]);
}

void Session::set_teams(const std::vector<exchange::TeamOfDivision>& teams) {
  executor = std::make_unique<comm::Executor>(world, recorder, teams, threads);
}

}  // namespace phasewise::workload
