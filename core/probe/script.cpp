// Reads a probe's script.
#include <sstream>
#include <stdexcept>

#include "probe/pattern.hpp"

namespace phasewise::probe {
namespace {

constexpr std::int64_t largest_message = 2147483647;  // B: MPI counts are int

[[noreturn]] void fail(int line, const std::string& what) {
  throw std::invalid_argument("line " + std::to_string(line) + " of the probe's patterns: " + what);
}

class ScriptLine {
 public:
  ScriptLine(const std::string& text, int number) : text_(text), number_(number) { text_ >> word_; }
  const std::string& word() const { return word_; }

  template <class T>
  std::vector<T> rest() {
    std::vector<T> values;
    for (T value{}; text_ >> value;) values.push_back(value);
    if (!text_.eof()) fail(number_, word_ + " takes numbers");
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
    text_ >> name;
    if (name != "exchange" && name != "bounce")
      fail(number_, "pattern '" + name + "' is neither exchange nor bounce");
    return name == "bounce" ? Kind::bounce : Kind::exchange;
  }

 private:
  std::istringstream text_;
  int number_;
  std::string word_;
};

// Returns false if the line belongs to no pattern.
bool read_pattern(ScriptLine& line, int number, std::vector<Pattern>& patterns) {
  const std::string& word = line.word();
  if (word == "pattern") {
    patterns.emplace_back().kind = line.kind();
    return true;
  }
  if (word != "sizes" && word != "to" && word != "from") return false;
  if (patterns.empty()) fail(number, word + " stands before the first pattern");
  Pattern& last = patterns.back();
  if (word == "sizes") {
    last.sizes = line.rest<std::int64_t>();
    for (const std::int64_t size : last.sizes)
      if (size < 0 || size > largest_message)
        fail(number, "a message of " + std::to_string(size) +
                         " bytes, beyond what MPI can count (" + std::to_string(largest_message) +
                         ")");
  } else {
    (word == "to" ? last.to : last.from) = line.rest<int>();
  }
  return true;
}

bool read_timing(ScriptLine& line, Script& script) {
  const std::string& word = line.word();
  if (word == "seed") {
    script.seed = line.exactly<std::uint64_t>(1)[0];
  } else if (word == "warm_up") {
    script.warm_up = line.exactly<int>(1)[0];
  } else if (word == "repetitions") {
    const std::vector<int> bounds = line.exactly<int>(2);
    script.min_repetitions = bounds[0];
    script.max_repetitions = bounds[1];
  } else if (word == "seconds") {
    script.seconds = line.exactly<double>(1)[0];
  } else if (word == "window") {
    const std::vector<double> window = line.exactly<double>(2);
    script.window = window[0];
    script.window_per_byte = window[1];
  } else if (word == "roof") {
    script.roof = true;
  } else if (word == "exchanges") {
    script.exchanges = true;
  } else if (word == "bare") {
    script.bare = true;
  } else if (word == "threads") {
    script.threads = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace

Script Script::parse(std::string_view text) {
  Script script;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string each; std::getline(lines, each);) {
    ScriptLine line(each, ++number);
    if (line.word().empty()) continue;
    if (!read_pattern(line, number, script.patterns) && !read_timing(line, script))
      fail(number, "unknown word '" + line.word() + "'");
  }
  if (script.min_repetitions < 1 || script.max_repetitions < script.min_repetitions)
    throw std::invalid_argument(
        "repetitions of a probe takes the smallest number, at least 1, and then the largest");
  return script;
}

}  // namespace phasewise::probe
