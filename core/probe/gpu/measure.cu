// Measures what a device can do.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "gpu/launch.hpp"
#include "parallel/macros.hpp"
#include "probe/gpu/measure.hpp"

namespace phasewise::probe::gpu::PHASEWISE_PLATFORM {

namespace platform = phasewise::gpu::PHASEWISE_PLATFORM;
using platform::Array;

namespace {

// How much work a measurement takes: milliseconds of a GPU, or of the one thread that emulates it.
#if defined(__CUDACC__)
constexpr std::int64_t values = std::int64_t{1} << 26, threads = std::int64_t{1} << 20;
constexpr std::int64_t additions = std::int64_t{1} << 26;
#else
constexpr std::int64_t values = std::int64_t{1} << 23, threads = std::int64_t{1} << 10;
constexpr std::int64_t additions = std::int64_t{1} << 22;
#endif

// The best of several times of f and the work that it queues.
template <class F>
double best_seconds(const F& f) {
  constexpr int passes = 5;
  double best = 0.0;
  for (int pass = -1; pass < passes; ++pass) {
    platform::wait();
    const auto start = std::chrono::steady_clock::now();
    f();
    platform::wait();
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (pass == 0 || (pass > 0 && seconds < best)) best = seconds;
  }
  return best;
}

double triad() {
  Array<double> to(values), from(values), factor(values);
  double* a = to.data();
  const double *b = from.data(), *c = factor.data();
  const double seconds = best_seconds([&] {
    platform::for_each("triad", values,
                       [=] PHASEWISE_DEVICE(std::int64_t i) { a[i] = b[i] + 3.0 * c[i]; });
  });
  return 3.0 * sizeof(double) * values / seconds;
}

// Times independent fused multiply-adds on values that stay in registers.
double multiply_adds() {
  constexpr int chains = 8, rounds = 256;
  Array<double> results(threads);
  double* result = results.data();
  const double seconds = best_seconds([&] {
    platform::for_each("multiply_add", threads, [=] PHASEWISE_DEVICE(std::int64_t i) {
      double value[chains];
      for (int k = 0; k < chains; ++k) value[k] = static_cast<double>(i + k);
      for (int round = 0; round < rounds; ++round)
        for (double& v : value) v = std::fma(v, 0.999, 1e-3);
      double sum = 0.0;
      for (const double v : value) sum += v;
      result[i] = sum;
    });
  });
  return 2.0 * chains * rounds * threads / seconds;
}

// Additions of one to nodes of 16 meshes of 128² nodes, in random order, like those of particles'
// charges.
constexpr int meshes = 16, mesh_nodes = 128 * 128;

// Knuth's multiplicative hash; its lowest bits say little.
PHASEWISE_HD std::uint32_t hash(std::int64_t i) {
  return static_cast<std::uint32_t>(i) * 2654435761U;
}

double seconds_of_additions_to_memory() {
  constexpr std::int64_t nodes = std::int64_t{meshes} * mesh_nodes;
  Array<double> mesh(nodes);
  double* node = mesh.data();
  return best_seconds([&] {
    platform::for_each("additions", additions, [=] PHASEWISE_DEVICE(std::int64_t i) {
      platform::atomic_add(node + (hash(i) >> 8) % nodes, 1.0);
    });
  });
}

// Makes the same number of additions by tiles; a tile holds some of a mesh's nodes, in two words
// each.
struct AddByTiles {
  double* mesh;
  int takes, words;

  static constexpr std::int64_t each = additions / meshes, of_a_tile = 131072;
  PHASEWISE_DEVICE std::int64_t size(int /*task*/) const { return each; }
  PHASEWISE_DEVICE std::int64_t chunk(int /*task*/) const { return of_a_tile; }
  PHASEWISE_DEVICE void add(int /*task*/, std::int64_t i, std::uint32_t* tile) const {
    const auto node = static_cast<std::int64_t>(hash(i) >> 8) % takes;
    platform::atomic_add(tile + node, 1U);
    platform::atomic_add(tile + takes + node, 1U);
  }
  PHASEWISE_DEVICE void take(int task, int k, const std::uint32_t* tile) const {
    platform::atomic_add(mesh + static_cast<std::int64_t>(task) * mesh_nodes + k,
                         static_cast<double>(tile[k]) + static_cast<double>(tile[takes + k]));
  }
};
double seconds_of_additions_by_tiles() {
  Array<double> mesh(std::int64_t{meshes} * mesh_nodes);
  const auto room = static_cast<int>(platform::blocks().shared / (2 * sizeof(std::uint32_t)));
  const int takes = std::min(room, mesh_nodes);
  return best_seconds([&] {
    platform::for_each_by_tiles("additions", meshes, AddByTiles::each / AddByTiles::of_a_tile,
                                AddByTiles{mesh.data(), takes, 2 * takes});
  });
}

// Additions by the faster of the two ways.
double shared_additions() {
  return additions / std::min(seconds_of_additions_to_memory(), seconds_of_additions_by_tiles());
}

double launches(int count) {
  Array<double> one(1);
  double* value = one.data();
  return best_seconds([&] {
           for (int k = 0; k < count; ++k)
             platform::for_each("empty", 1,
                                [=] PHASEWISE_DEVICE(std::int64_t i) { value[i] += 1.0; });
         }) /
         count;
}

std::vector<DeviceCopy> copies() {
  constexpr std::size_t most = std::size_t{1} << 26;
  Array<char> there(most);
  std::vector<char> here(most, 1);
  platform::pin(here.data(), most);
  std::vector<DeviceCopy> result;
  for (std::size_t bytes = 64; bytes <= most; bytes *= 4) {
    const double in = best_seconds([&] { platform::copy_in(there.data(), here.data(), bytes); });
    const double out = best_seconds([&] { platform::copy_out(here.data(), there.data(), bytes); });
    result.push_back({static_cast<double>(bytes), in, out});
  }
  platform::unpin(here.data());
  return result;
}

}  // namespace

DeviceRates measure() {
  DeviceRates rates;
  const platform::Properties properties = platform::properties();
  rates.name = properties.name;
  rates.memory = static_cast<double>(properties.memory);
  rates.bytes_per_second = triad();
  rates.flops_per_second = multiply_adds();
  rates.additions_per_second = shared_additions();
  rates.launch_seconds = launches(1000);
  rates.wait_seconds = launches(1);
  rates.copies = copies();
  return rates;
}

}  // namespace phasewise::probe::gpu::PHASEWISE_PLATFORM

#if defined(__CUDACC__)
bool phasewise_measure_cuda(int number, phasewise::probe::DeviceRates* rates, std::string* why) {
  *why = phasewise::gpu::cuda::choose_device(number);
  if (why->empty()) *rates = phasewise::probe::gpu::cuda::measure();
  return why->empty();
}
#endif
