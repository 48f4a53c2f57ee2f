#include "driver/records.hpp"

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <numeric>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "driver/plan.hpp"
#include "driver/workloads.hpp"

namespace phasewise::driver {
namespace {

std::string number(double value) {
  if (!std::isfinite(value))
    return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string text_of(const workload::Value& value) {
  if (value.shape.empty()) return number(value.values[0]);
  std::string text = "[";
  for (const double v : value.values) text += (text.size() > 1 ? ", " : "") + number(v);
  return text + ']';
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

using Scales = std::map<std::string, std::array<double, 2>>;  // sampled, all

// This rank's scales, in lines of name, sampled bytes and all bytes. A kernel sends nothing and has
// 1 for the sampled bytes.
std::string scale_lines(const workload::Run& run, const workload::Parameters& parameters) {
  const workload::Session& session = run.session();
  const comm::Recorder& recorder = session.recorder;
  const auto study = plan_study(parameters, session.world.size(), 1);
  const auto scales = sampling_scales(*study, session.world.rank(), session.sample);
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

std::string scale_json(const workload::Run& run, const workload::Parameters& parameters) {
  if (run.session().sample == 0) return "{}";
  const std::string mine = scale_lines(run, parameters);
  Scales sums;
  for (const auto& part : run.session().world.gather("records", bytes_of(mine))) {
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

// The parameter for a key of exchange_keys(): communication.<key>, or <part>.communication.<key>.
std::string parameter_of(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  const std::size_t own = dot == std::string::npos ? 0 : dot + 1;
  return key.substr(0, own) + "communication." + key.substr(own);
}

// The values of `communication.*` that say how data are exchanged.
std::string algorithms_json(const workload::Run& run, const workload::Parameters& parameters) {
  std::string text = "{";
  for (const std::string& key : run.study().exchange_keys())
    if (const std::string full = parameter_of(key); parameters.has(full))
      text += (text.size() > 1 ? ", \"" : "\"") + key + "\": \"" + parameters.word(full) + '"';
  return text + '}';
}

std::string grid_json(const workload::Run& run) {
  std::string text = "[";
  for (const std::vector<int>& shape : run.study().process_grid()) {
    text += text.size() > 1 ? ", [" : "[";
    for (std::size_t i = 0; i < shape.size(); ++i)
      text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
    text += ']';
  }
  return text + ']';
}

// The standard deviation of the turns after the first over their mean, from the sums over the ranks
// of each turn's seconds; empty for fewer than three turns.
std::string variation_json(const std::vector<double>& turns) {
  if (turns.size() < 3) return "";
  const std::span later(turns.begin() + 1, turns.end());
  const auto count = static_cast<double>(later.size());
  const double mean = std::accumulate(later.begin(), later.end(), 0.0) / count;
  const double squares =
      std::accumulate(later.begin(), later.end(), 0.0,
                      [&](double sum, double t) { return sum + (t - mean) * (t - mean); });
  if (mean <= 0.0) return "";
  return ", \"variation\": " + number(std::sqrt(squares / (count - 1)) / mean);
}

std::string head_json(const workload::Run& run, const workload::Parameters& parameters,
                      const std::string& scale, double seconds, const std::string& variation) {
  return std::string("{\"version\": 1, \"kind\": \"") + (comm::simulated() ? "simulated" : "run") +
         "\", \"ranks\": " + std::to_string(run.session().world.size()) +
         ", \"turns\": " + std::to_string(run.turn()) + ", \"seconds\": " + number(seconds) +
         ", \"process_grid\": " + grid_json(run) + ", \"layout\": \"" + run.study().layout() +
         "\", \"algorithms\": " + algorithms_json(run, parameters) +
         ", \"machine\": null, \"scale\": " + scale + variation;
}

}  // namespace

void check_written(const std::ofstream& file, const std::string& path) {
  if (!file) throw std::runtime_error("cannot write to " + path + ": " + std::strerror(errno));
}

TurnFile::TurnFile(const std::string& folder) : path_(folder + "/turns.jsonl"), file_(path_) {
  check_written(file_, path_);
}

void TurnFile::append(std::int64_t turn, const workload::Run& run) {
  file_ << "{\"turn\": " << turn;
  for (const workload::Value& value : run.record())
    file_ << ", \"" << value.name << "\": " << text_of(value);
  file_ << "}\n" << std::flush;
  check_written(file_, path_);
}

void write_communication(const std::string& folder, const workload::Run& run,
                         const workload::Parameters& parameters, std::vector<double> each) {
  const comm::Communicator& world = run.session().world;
  std::vector<double> seconds{run.session().seconds};
  const std::string mine = run.communication();
  // The exchanges below are not part of the records.
  const std::vector<comm::Event> events = run.session().recorder.events();
  world.max("records", seconds);
  if (!each.empty()) world.sum("records", each);
  const std::string scale = scale_json(run, parameters);
  const auto ranks = world.gather("records", bytes_of(mine));
  if (world.rank() == 0) {
    const std::string path = folder + "/communication.json";
    std::ofstream file(path);
    file << head_json(run, parameters, scale, seconds[0], variation_json(each))
         << ",\n \"rank\": [\n  ";
    for (std::size_t r = 0; r < ranks.size(); ++r)
      file << (r > 0 ? ",\n  " : "") << text_of(ranks[r]);
    file << "\n]}\n" << std::flush;
    check_written(file, path);
  }
  if (!run.session().recorder.keeps_events()) return;
  const auto parts = world.gather("records", std::as_bytes(std::span(events)));
  if (world.rank() != 0) return;
  const std::string path = folder + "/events.bin";
  std::ofstream file(path, std::ios::binary);
  for (const auto& part : parts)
    file.write(reinterpret_cast<const char*>(part.data()), std::ssize(part));
  file.flush();
  check_written(file, path);
}

}  // namespace phasewise::driver
