// The description of a network that phasewise/machines/twin.py writes, in lines `key = value`. It
// includes nothing of the project, since machines/platform.cpp reads the same description.
#pragma once

#include <cstddef>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace phasewise::contention {

// Throws std::invalid_argument if a key is missing or has the wrong number of values.
class Description {
 public:
  explicit Description(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::size_t equals = line.find(" = ");
      if (equals != std::string::npos) values_[line.substr(0, equals)] = line.substr(equals + 3);
    }
  }
  bool has(const std::string& key) const { return values_.count(key) > 0; }
  const std::string& word(const std::string& key) const {
    const auto found = values_.find(key);
    if (found == values_.end()) throw std::invalid_argument("the network lacks " + key);
    return found->second;
  }
  std::vector<double> numbers(const std::string& key, std::size_t count) const {
    std::istringstream text(word(key));
    std::vector<double> values;
    for (double value = 0.0; text >> value;) values.push_back(value);
    if (values.size() != count)
      throw std::invalid_argument("the network's " + key + " needs " + std::to_string(count) +
                                  " numbers");
    return values;
  }
  double number(const std::string& key) const { return numbers(key, 1)[0]; }
  int whole(const std::string& key, int otherwise) const {
    return has(key) ? static_cast<int>(number(key)) : otherwise;
  }

 private:
  std::map<std::string, std::string> values_;
};

}  // namespace phasewise::contention
