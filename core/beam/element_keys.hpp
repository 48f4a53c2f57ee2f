// The keys of one element in the flat parameter text: <prefix><key>.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "workload/parameters.hpp"

namespace phasewise::beam {

class ElementKeys {
 public:
  ElementKeys(const workload::Parameters& parameters, std::string prefix, int beam)
      : parameters_(parameters), prefix_(std::move(prefix)), beam_(beam) {}

  const workload::Parameters& all() const { return parameters_; }
  std::string key(const std::string& name) const { return prefix_ + name; }
  std::string beam_key(const std::string& name) const {
    return "beam." + std::to_string(beam_) + "." + name;
  }
  bool has(const std::string& name) const { return parameters_.has(key(name)); }
  double number(const std::string& name) const { return parameters_.number(key(name)); }
  double number_or(const std::string& name, double fallback) const {
    return has(name) ? number(name) : fallback;
  }
  double positive(const std::string& name) const { return parameters_.positive(key(name)); }
  std::vector<double> numbers(const std::string& name, std::size_t count) const {
    return parameters_.numbers(key(name), count);
  }
  std::vector<double> numbers_or(const std::string& name, const std::vector<double>& usual) const {
    return parameters_.numbers_or(key(name), usual);
  }
  std::vector<double> numbers_or_zero(const std::string& name, std::size_t count) const {
    return numbers_or(name, std::vector<double>(count, 0.0));
  }
  std::size_t choice(const std::string& name, const std::vector<std::string>& accepted) const {
    return parameters_.choice(key(name), accepted);
  }
  [[noreturn]] void fail(const std::string& name, const std::string& message) const {
    parameters_.fail(key(name), message);
  }

 private:
  const workload::Parameters& parameters_;
  std::string prefix_;
  int beam_;
};

}  // namespace phasewise::beam
