// The workload `recorded`: an MPI program of others that was recorded, as one turn.
#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "recorded/turn.hpp"
#include "workload/entry.hpp"

namespace phasewise::recorded {
namespace {

// The value of a hexadecimal digit as Python writes it, -1 for other letters.
int digit(char letter) {
  const std::string digits = "0123456789ABCDEF";
  const std::size_t found = digits.find(letter);
  return found == std::string::npos ? -1 : static_cast<int>(found);
}

// Bytes of a path that could end the value of a parameter are written as in an address: %20.
std::string plain_path(const std::string& text) {
  std::string path;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const int high = text[at] == '%' && at + 2 < text.size() ? digit(text[at + 1]) : -1;
    const int low = high < 0 ? -1 : digit(text[at + 2]);
    path += low < 0 ? text[at] : static_cast<char>(16 * high + low);
    if (low >= 0) at += 2;
  }
  return path;
}

class Recorded : public workload::Planned<Turn> {
 public:
  Recorded(const workload::Parameters& parameters, workload::Nodes nodes)
      : Planned(std::move(nodes)),
        file_(plain_path(parameters.word("recorded.file"))),
        compute_(parameters.not_negative("recorded.compute")) {
    if (file_.ranks() != ranks())
      throw std::invalid_argument("the program was recorded on " + std::to_string(file_.ranks()) +
                                  " ranks, and is replayed on as many, not on " +
                                  std::to_string(ranks()));
  }

  std::vector<workload::Phase> phases() const override {
    std::vector<workload::Phase> found;
    for (const std::string& name : file_.phases())
      found.push_back(workload::main_phase(name, "recorded", "all"));
    return found;
  }
  std::vector<workload::Piece> pieces() const override { return {{.name = "program"}}; }
  bool once() const override { return true; }
  std::unique_ptr<Turn> make_turn(int rank, workload::Contents /*contents*/) const override {
    return std::make_unique<Turn>(file_, compute_, nodes(), rank);
  }
  std::vector<exchange::TeamOfDivision> teams(const exchange::TeamPointer& all) const override {
    const int rank = all->ranks[all->me];
    std::vector<exchange::TeamOfDivision> found;
    const std::vector<exchange::TeamPointer> own = teams_of(file_, nodes(), rank);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const std::vector<int>& members = file_.teams()[i];
      const bool member = std::ranges::find(members, rank) != members.end();
      found.push_back({own[i], member ? 0 : 1 + rank});
    }
    return found;
  }
  std::vector<int> typical_ranks() const override {
    std::vector<int> all(nodes().size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

 private:
  ProgramFile file_;
  double compute_;
};

}  // namespace

workload::Entry entry() { return workload::entry_for<Recorded, workload::PlannedRun<Turn>>(); }

}  // namespace phasewise::recorded
