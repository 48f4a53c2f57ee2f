// Several workloads in one ring, which hand its bunches on from one to the next in each turn. One
// of them makes the bunches; the others are guests, which run once for each bunch. Plan, phases,
// records and checkpoints are those of the parts, under names that begin with the part's name.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "driver/prefixed.hpp"
#include "workload/entry.hpp"

namespace phasewise::driver {

struct NamedEntry {
  std::string name;
  workload::Entry entry;
};

inline constexpr std::string_view shared_records = "shared_records";

class Composite : public workload::Workload {
 public:
  // `ring` lists the workloads in the order of a turn. Throws std::invalid_argument with one
  // sentence if they share no bunches, and what their constructors throw.
  Composite(const workload::Parameters& parameters, workload::Nodes nodes,
            const std::vector<NamedEntry>& ring);

  // A workload as it acts on a bunch, or the one that makes the bunches.
  struct Part {
    std::string name;
    workload::Entry entry;
    int bunch = 0;             // number of the bunch's beam; 0: makes the bunches
    std::vector<int> ranks{};  // among all
    std::vector<int> place{};  // each rank's place among these; -1: none
    std::shared_ptr<const Workload> plan{};
    std::shared_ptr<PartNames> names{};
    int first = 0, last = 0;  // numbers of its parts of a turn: [first, last)

    bool guest() const { return bunch > 0; }
    bool everywhere() const { return ranks.size() == place.size(); }
    exchange::TeamPointer team(int rank) const {
      return std::make_shared<const exchange::Team>(exchange::Team{ranks, place[rank]});
    }
  };
  const std::vector<Part>& parts() const { return parts_; }
  // The part that makes the bunches.
  const Part& maker() const { return parts_[maker_]; }
  // How many numbers a turn of a guest records.
  std::size_t numbers(const Part& part) const;
  // How many numbers of guests are missing on some ranks; 0 if all ranks have all of them.
  std::size_t shared_numbers() const;

  std::vector<workload::Phase> phases() const override;
  std::vector<workload::Piece> pieces() const override;
  std::unique_ptr<workload::RankTurn> turn_of(int rank) const override;
  // Guests run on the ranks of a bunch as the maker divides them.
  std::vector<std::vector<int>> process_grid() const override {
    return maker().plan->process_grid();
  }
  std::vector<int> place(int rank) const override { return maker().plan->place(rank); }
  std::string layout() const override { return maker().plan->layout(); }
  // The keys have the form <part>.<key>.
  std::vector<std::string> exchange_keys() const override;
  std::vector<workload::Load> loads() const override;
  std::vector<int> typical_ranks() const override;
  std::vector<int> alike() const override;

 private:
  void add_guests(const workload::Parameters& parameters, const NamedEntry& guest,
                  const std::vector<workload::SharedBunch>& bunches);
  void number_parts();

  std::vector<Part> parts_;  // in the order of a turn
  std::size_t maker_ = 0;
};

}  // namespace phasewise::driver
