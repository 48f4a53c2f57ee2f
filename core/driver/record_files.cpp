#include "driver/record_files.hpp"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "beam/moments.hpp"
#include "driver/plan.hpp"

namespace phasewise::driver {
namespace {

std::string number(double value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

template <class Container>
std::string list(const Container& values) {
  std::string text = "[";
  for (const auto value : values)
    text += (text.size() > 1 ? ", " : "") + number(static_cast<double>(value));
  return text + ']';
}

std::string matrix(const std::array<std::array<double, 6>, 6>& m) {
  std::vector<double> values;
  for (const auto& row : m) values.insert(values.end(), row.begin(), row.end());
  return list(values);
}

void check(const std::ofstream& file, const std::string& path) {
  if (!file) throw std::runtime_error("cannot write to " + path + ": " + std::strerror(errno));
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

using Scales = std::map<std::string, std::array<double, 2>>;  // sampled, all

// Of this rank, as lines of name, sampled and all; kernels, which send nothing, count by
// themselves.
std::string scale_lines(const Simulation& simulation, const Parameters& parameters, int sample) {
  const comm::Communicator& world = simulation.groups().world();
  const comm::Recorder& recorder = simulation.recorder();
  const auto scales = sampling_scales(parameters, world.size(), world.rank(), sample);
  std::ostringstream lines;
  lines.precision(17);
  for (std::size_t i = 0; i < recorder.names().size(); ++i) {
    const auto found = scales.find(recorder.names()[i]);
    if (found == scales.end()) continue;
    const double bytes = static_cast<double>(recorder.record(static_cast<int>(i)).bytes);
    const double sampled = bytes > 0.0 ? bytes : 1.0;
    lines << found->first << ' ' << sampled << ' ' << sampled * found->second << '\n';
  }
  return lines.str();
}

std::string scale_json(const Simulation& simulation, const Parameters& parameters) {
  const int sample = parameters.has("simulated.steps")
                         ? static_cast<int>(parameters.integer("simulated.steps"))
                         : 0;
  if (sample == 0) return "{}";
  const std::string mine = scale_lines(simulation, parameters, sample);
  Scales sums;
  for (const auto& part : simulation.groups().world().gather("records", bytes_of(mine))) {
    std::istringstream lines(text_of(part));
    std::string name;
    for (double sampled = 0.0, all = 0.0; lines >> name >> sampled >> all;) {
      sums[name][0] += sampled;
      sums[name][1] += all;
    }
  }
  std::string text = "{";
  for (const auto& [name, sum] : sums)
    text += (text.size() > 1 ? ", \"" : "\"") + name + "\": " + number(sum[1] / sum[0]);
  return text + '}';
}

// The words of `communication.*` that say how data are exchanged.
std::string algorithms_json(const Parameters& parameters) {
  std::string text = "{";
  for (const char* key :
       {"reduce", "broadcast", "schedule", "transpose", "aggregate", "crossing", "overlap"})
    if (const std::string full = std::string("communication.") + key; parameters.has(full))
      text += (text.size() > 1 ? ", \"" : "\"") + std::string(key) + "\": \"" +
              parameters.word(full) + '"';
  return text + '}';
}

std::string grid_json(const Simulation& simulation) {
  std::string text = "[";
  for (const collision::Shape& shape : simulation.shapes())
    text += (text.size() > 1 ? ", [" : "[") + std::to_string(shape.prow) + ", " +
            std::to_string(shape.pcol) + ']';
  return text + ']';
}

std::string head_json(const Simulation& simulation, const Parameters& parameters,
                      const std::string& scale, double seconds) {
  const std::string layout = parameters.has("communication.layout")
                                 ? parameters.word("communication.layout")
                                 : "column-first";
  return std::string("{\"version\": 1, \"kind\": \"") + (comm::simulated() ? "simulated" : "run") +
         "\", \"ranks\": " + std::to_string(simulation.groups().world().size()) +
         ", \"turns\": " + std::to_string(simulation.turn()) + ", \"seconds\": " + number(seconds) +
         ", \"process_grid\": " + grid_json(simulation) + ", \"layout\": \"" + layout +
         "\", \"algorithms\": " + algorithms_json(parameters) +
         ", \"machine\": null, \"scale\": " + scale;
}

}  // namespace

TurnFile::TurnFile(const std::string& folder) : path_(folder + "/turns.jsonl"), file_(path_) {
  check(file_, path_);
}

void TurnFile::append(std::int64_t turn, const Simulation& simulation) {
  const TurnRecord& record = simulation.record();
  file_ << "{\"turn\": " << turn << ", \"luminosity\": " << list(record.luminosity);
  for (int b = 0; b < 2; ++b) {
    const TurnRecord::Beam& beam = record.beam[b];
    const auto put = [&](const char* name, const std::string& value) {
      file_ << ", \"" << b + 1 << '/' << name << "\": " << value;
    };
    put("mean", list(beam.moments.mean));
    put("covariance", matrix(beam.moments.covariance));
    put("moment3", list(beam.moments.third));
    put("moment4", list(beam.moments.fourth));
    put("emittance", list(beam::emittances(beam.moments)));
    put("particles", number(beam.moments.particles));
    put("losses", std::to_string(beam.losses));
    put("outside", list(beam.outside));
    if (simulation.tracked() > 0) put("tracked", list(beam.tracked));
  }
  file_ << "}\n" << std::flush;
  check(file_, path_);
}

void write_communication(const std::string& folder, const Simulation& simulation,
                         const Parameters& parameters) {
  const comm::Communicator& world = simulation.groups().world();
  std::vector<double> seconds{simulation.seconds()};
  const std::string mine = simulation.communication();
  // Beginning here, what is exchanged is no longer part of the records.
  const std::vector<comm::Event> events = simulation.recorder().events();
  world.max("records", seconds);
  const std::string scale = scale_json(simulation, parameters);
  const auto ranks = world.gather("records", bytes_of(mine));
  if (world.rank() == 0) {
    const std::string path = folder + "/communication.json";
    std::ofstream file(path);
    file << head_json(simulation, parameters, scale, seconds[0]) << ",\n \"rank\": [\n  ";
    for (std::size_t r = 0; r < ranks.size(); ++r)
      file << (r > 0 ? ",\n  " : "") << text_of(ranks[r]);
    file << "\n]}\n" << std::flush;
    check(file, path);
  }
  if (!simulation.recorder().keeps_events()) return;
  const auto parts = world.gather("records", std::as_bytes(std::span(events)));
  if (world.rank() != 0) return;
  const std::string path = folder + "/events.bin";
  std::ofstream file(path, std::ios::binary);
  for (const auto& part : parts)
    file.write(reinterpret_cast<const char*>(part.data()), std::ssize(part));
  file.flush();
  check(file, path);
}

}  // namespace phasewise::driver
