// The flat parameter text (docs/flat-parameters.md): `key = value` lines, read key by key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace phasewise::workload {

// Every getter throws std::invalid_argument with one sentence that names the key, its line and the
// accepted values. Reading a key marks it as used.
class Parameters {
 public:
  static Parameters parse(std::string_view text);

  // The parameters of a part of a composite: its own keys, written in the text as <name>.<key>, and
  // those that all parts read.
  Parameters part(const std::string& name) const;

  bool has(const std::string& key) const;
  double number(const std::string& key) const;
  std::int64_t integer(const std::string& key) const;
  // An integer from `least` to `most`.
  std::int64_t integer_within(const std::string& key, std::int64_t least, std::int64_t most) const;
  std::string word(const std::string& key) const;
  std::vector<double> numbers(const std::string& key, std::size_t count) const;
  // Like numbers(); a single number stands for all.
  std::vector<double> shared_numbers(const std::string& key, std::size_t count) const;
  // All numbers of the line, one or more.
  std::vector<double> list(const std::string& key) const;
  // Like numbers(), or the fallback if the key is absent.
  std::vector<double> numbers_or(const std::string& key, const std::vector<double>& fallback) const;
  // All words of the line, one or more.
  std::vector<std::string> words(const std::string& key) const;
  // The position of the key's word among the accepted ones.
  std::size_t choice(const std::string& key, const std::vector<std::string>& accepted) const;
  // A number above zero; a number not below zero.
  double positive(const std::string& key) const;
  double not_negative(const std::string& key) const;

  // Throws for the first key that was given and never read; for a part, only its own keys count.
  void check_all_used() const;

  // Throws std::invalid_argument: "line 12: key = value: message."
  [[noreturn]] void fail(const std::string& key, const std::string& message) const;

 private:
  struct Given {
    std::vector<std::string> values;
    int line = 0;
    mutable bool used = false;
  };

  using Entries = std::map<std::string, Given>;

  // The place of a key; a part's own key comes before that of all parts. The end if it is absent.
  Entries::const_iterator find(const std::string& key) const;
  const Given& entry(const std::string& key) const;
  const Given& entry(const std::string& key, std::size_t count) const;
  double to_number(const std::string& key, const std::string& text) const;

  std::shared_ptr<const Entries> entries_;  // those of all parts
  std::string prefix_;                      // of a part's keys
};

}  // namespace phasewise::workload
