#include "workload/parameters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace phasewise::workload {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string> split(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string joined(const std::vector<std::string>& words, const char* separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::string quoted(std::string_view text) {
  std::string result(1, '\'');
  result.append(text);
  result.push_back('\'');
  return result;
}

[[noreturn]] void refuse_line(int line, const std::string& message) {
  throw std::invalid_argument("parameters, line " + std::to_string(line) + ": " + message + ".");
}

}  // namespace

Parameters Parameters::parse(std::string_view text) {
  Entries entries;
  int line = 0;
  while (!text.empty()) {
    ++line;
    const std::size_t end = text.find('\n');
    const std::string_view content = trimmed(text.substr(0, end).substr(0, text.find('#')));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (content.empty()) continue;
    const std::size_t equals = content.find('=');
    const std::string key{trimmed(content.substr(0, equals))};
    if (equals == std::string_view::npos || key.empty()) {
      refuse_line(line, quoted(content) + " is not of the form key = value");
    }
    Given entry;
    entry.values = split(content.substr(equals + 1));
    entry.line = line;
    if (entry.values.empty()) refuse_line(line, quoted(key) + " has no value");
    if (!entries.emplace(key, entry).second) {
      refuse_line(line, quoted(key) + " is given a second time");
    }
  }
  Parameters parameters;
  parameters.entries_ = std::make_shared<const Entries>(std::move(entries));
  return parameters;
}

Parameters Parameters::part(const std::string& name) const {
  Parameters own = *this;
  own.prefix_ = prefix_ + name + ".";
  return own;
}

Parameters::Entries::const_iterator Parameters::find(const std::string& key) const {
  const auto own = entries_->find(prefix_ + key);
  return own != entries_->end() || prefix_.empty() ? own : entries_->find(key);
}

bool Parameters::has(const std::string& key) const { return find(key) != entries_->end(); }

const Parameters::Given& Parameters::entry(const std::string& key) const {
  const auto found = find(key);
  if (found == entries_->end())
    throw std::invalid_argument("parameters: " + quoted(prefix_ + key) + " is missing.");
  found->second.used = true;
  return found->second;
}

const Parameters::Given& Parameters::entry(const std::string& key, std::size_t count) const {
  const Given& found = entry(key);
  if (found.values.size() != count) {
    fail(key, std::to_string(count) + (count == 1 ? " value is" : " values are") +
                  " accepted here, not " + std::to_string(found.values.size()));
  }
  return found;
}

void Parameters::fail(const std::string& key, const std::string& message) const {
  const auto found = find(key);
  if (found == entries_->end()) throw std::invalid_argument(prefix_ + key + ": " + message + ".");
  const auto& [name, given] = *found;
  refuse_line(given.line, name + " = " + joined(given.values, " ") + ": " + message);
}

double Parameters::to_number(const std::string& key, const std::string& text) const {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) {
    fail(key, quoted(text) + " is not a finite number");
  }
  return value;
}

double Parameters::number(const std::string& key) const {
  return to_number(key, entry(key, 1).values[0]);
}

std::int64_t Parameters::integer(const std::string& key) const {
  const std::string& text = entry(key, 1).values[0];
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) fail(key, quoted(text) + " is not an integer");
  return value;
}

std::int64_t Parameters::integer_within(const std::string& key, std::int64_t least,
                                        std::int64_t most) const {
  const std::int64_t value = integer(key);
  if (value < least || value > most)
    fail(key, "give " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

std::string Parameters::word(const std::string& key) const { return entry(key, 1).values[0]; }

std::vector<double> Parameters::numbers(const std::string& key, std::size_t count) const {
  std::vector<double> values;
  for (const std::string& text : entry(key, count).values) values.push_back(to_number(key, text));
  return values;
}

std::vector<double> Parameters::shared_numbers(const std::string& key, std::size_t count) const {
  const bool one = has(key) && find(key)->second.values.size() == 1;
  std::vector<double> values = numbers(key, one ? 1 : count);
  values.resize(count, values.front());
  return values;
}

std::vector<double> Parameters::list(const std::string& key) const {
  return numbers(key, entry(key).values.size());
}

std::vector<std::string> Parameters::words(const std::string& key) const {
  return entry(key).values;
}

std::vector<double> Parameters::numbers_or(const std::string& key,
                                           const std::vector<double>& fallback) const {
  return has(key) ? numbers(key, fallback.size()) : fallback;
}

std::size_t Parameters::choice(const std::string& key,
                               const std::vector<std::string>& accepted) const {
  const std::string given = word(key);
  const auto found = std::find(accepted.begin(), accepted.end(), given);
  if (found == accepted.end()) fail(key, "accepted are " + joined(accepted, ", "));
  return static_cast<std::size_t>(found - accepted.begin());
}

double Parameters::positive(const std::string& key) const {
  const double value = number(key);
  if (!(value > 0.0)) fail(key, "a number above 0 is accepted");
  return value;
}

double Parameters::not_negative(const std::string& key) const {
  const double value = number(key);
  if (!(value >= 0.0)) fail(key, "a number not below 0 is accepted");
  return value;
}

void Parameters::check_all_used() const {
  for (const auto& [key, entry] : *entries_) {
    if (!entry.used && key.starts_with(prefix_))
      refuse_line(entry.line, quoted(key) + " is not a key that this study reads");
  }
}

}  // namespace phasewise::workload
