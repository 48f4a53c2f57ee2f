// A probe's file of patterns, read.
#include <sstream>
#include <stdexcept>

#include "probe/pattern.hpp"

namespace phasewise::probe {
namespace {

[[noreturn]] void fail(int line, const std::string& what) {
  throw std::invalid_argument("line " + std::to_string(line) + " of the probe's patterns: " + what);
}

class Line {
 public:
  Line(const std::string& text, int number) : words_(text), number_(number) { words_ >> word_; }
  const std::string& word() const { return word_; }

  template <class T>
  std::vector<T> rest() {
    std::vector<T> values;
    for (T value{}; words_ >> value;) values.push_back(value);
    if (!words_.eof()) fail(number_, word_ + " takes numbers");
    return values;
  }
  template <class T>
  std::vector<T> exactly(std::size_t count) {
    std::vector<T> values = rest<T>();
    if (values.size() != count) fail(number_, word_ + " takes " + std::to_string(count));
    return values;
  }
  Kind kind() {
    std::string name;
    words_ >> name;
    if (name != "exchange" && name != "bounce")
      fail(number_, "pattern '" + name + "' is neither exchange nor bounce");
    return name == "bounce" ? Kind::bounce : Kind::exchange;
  }

 private:
  std::istringstream words_;
  int number_;
  std::string word_;
};

// Whether the line was one of a pattern's.
bool read_pattern(Line& line, int number, std::vector<Pattern>& patterns) {
  const std::string& word = line.word();
  if (word == "pattern") {
    patterns.emplace_back().kind = line.kind();
    return true;
  }
  if (word != "sizes" && word != "to" && word != "from") return false;
  if (patterns.empty()) fail(number, word + " stands before the first pattern");
  Pattern& last = patterns.back();
  if (word == "sizes")
    last.sizes = line.rest<std::int64_t>();
  else
    (word == "to" ? last.to : last.from) = line.rest<int>();
  return true;
}

bool read_timing(Line& line, Plan& plan) {
  const std::string& word = line.word();
  if (word == "seed") {
    plan.seed = line.exactly<std::uint64_t>(1)[0];
  } else if (word == "warm_up") {
    plan.warm_up = line.exactly<int>(1)[0];
  } else if (word == "repetitions") {
    const std::vector<int> bounds = line.exactly<int>(2);
    plan.least = bounds[0];
    plan.most = bounds[1];
  } else if (word == "seconds") {
    plan.seconds = line.exactly<double>(1)[0];
  } else if (word == "window") {
    const std::vector<double> window = line.exactly<double>(2);
    plan.window = window[0];
    plan.window_per_byte = window[1];
  } else if (word == "roof") {
    plan.roof = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

Plan Plan::parse(std::string_view text) {
  Plan plan;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string each; std::getline(lines, each);) {
    Line line(each, ++number);
    if (line.word().empty()) continue;
    if (!read_pattern(line, number, plan.patterns) && !read_timing(line, plan))
      fail(number, "unknown word '" + line.word() + "'");
  }
  if (plan.least < 1 || plan.most < plan.least)
    throw std::invalid_argument("a probe's repetitions are at least 1, and least before most");
  return plan;
}

}  // namespace phasewise::probe
