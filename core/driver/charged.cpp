#include "driver/charged.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "workload/offline_listener.hpp"

namespace phasewise::driver {
namespace {

using parallel::KernelCard;

// The work of one kernel in one piece, for all ranks and for the present rank.
struct PieceWork {
  // The flops that are charged, or the bytes of a kernel without flops.
  double sum = 0.0, largest = 0.0, of_rank = 0.0;

  void end_rank() {
    sum += of_rank;
    largest = std::max(largest, of_rank);
    of_rank = 0.0;
  }
};

struct Kernel {
  KernelWork work;
  std::vector<PieceWork> pieces;
};

// The work of a kernel in a piece of a rank's turn.
struct Charge {
  std::size_t kernel, piece;
  double calls, items, flops, bytes, charged, seconds = 0.0;
};
using Charges = std::vector<Charge>;

// Records the turn of a rank, and adds up the turns of all ranks.
class Charged : public workload::OfflineListener {
 public:
  // `inside` has how often a piece inside of another is counted.
  Charged(std::size_t pieces, const parallel::VectorUnit& unit, workload::PieceCounts inside)
      : pieces_(pieces), unit_(unit), inside_(std::move(inside)) {}

  void at(std::size_t piece, int part, double weight) {
    piece_ = piece;
    part_ = part;
    weight_ = weight;
  }
  // The charges recorded since they were last taken.
  Charges take() { return std::exchange(heard_, {}); }
  void add_rank(const Charges& charges) {
    for (const Charge& charge : charges) {
      Kernel& kernel = kernels_[charge.kernel];
      kernel.work.calls += charge.calls;
      kernel.work.items += charge.items;
      kernel.work.flops += charge.flops;
      kernel.work.bytes += charge.bytes;
      kernel.work.charged += charge.charged;
      kernel.work.seconds += charge.seconds;
      const double amount = charge.flops > 0.0 ? charge.charged : charge.bytes;
      kernel.pieces[charge.piece].of_rank += charge.seconds > 0.0 ? charge.seconds : amount;
    }
    for (Kernel& kernel : kernels_)
      for (PieceWork& piece : kernel.pieces) piece.end_rank();
  }
  const std::vector<Kernel>& kernels() const { return kernels_; }

  void kernel(const KernelCard& card, double items,
              const std::function<void()>& /*work*/) override {
    const double count = items * weight_;
    heard_.push_back({number_of(card), piece_, items > 0.0 ? weight_ : 0.0, count,
                      count * card.flops, count * card.bytes, charged(card, items, count)});
  }
  void compute(std::string_view name, double seconds) override {
    heard_.push_back(
        {number_of({.name = name}), piece_, weight_, weight_, 0.0, 0.0, 0.0, weight_ * seconds});
  }
  void if_needed(std::string_view piece, const std::function<void()>& actions) override {
    const auto found = inside_.find(piece);
    const double weight = found == inside_.end() ? 0.0 : found->second;
    const double around = std::exchange(weight_, weight);
    actions();
    weight_ = around;
  }

 private:
  std::size_t number_of(const KernelCard& card) {
    for (std::size_t i = 0; i < kernels_.size(); ++i)
      if (kernels_[i].work.part == part_ && kernels_[i].work.name == card.name) return i;
    Kernel& made = kernels_.emplace_back();
    made.work = {.name = std::string(card.name), .part = part_, .vectorised = card.vectorised};
    made.pieces.resize(pieces_);
    return kernels_.size() - 1;
  }
  // Without a vector unit this is the same product as the flops, to the last bit.
  double charged(const KernelCard& card, double items, double count) const {
    return unit_.length > 0.0 ? weight_ * parallel::charged_flops(card, items, unit_)
                              : count * card.flops;
  }
  std::size_t pieces_, piece_ = 0;
  parallel::VectorUnit unit_;
  workload::PieceCounts inside_;
  int part_ = 0;
  double weight_ = 1.0;
  Charges heard_;
  std::vector<Kernel> kernels_;
};

KernelWork mean_work(const Kernel& kernel, int ranks) {
  KernelWork work = kernel.work;
  for (double* amount :
       {&work.calls, &work.items, &work.flops, &work.bytes, &work.charged, &work.seconds})
    *amount /= ranks;
  double sum = 0.0, largest = 0.0;
  for (const PieceWork& piece : kernel.pieces) {
    sum += piece.sum;
    largest += piece.largest;
  }
  work.load = sum > 0.0 ? largest * ranks / sum : 1.0;
  return work;
}

}  // namespace

std::vector<KernelWork> planned_work(const workload::Workload& study,
                                     const workload::PieceCounts& counts, bool each,
                                     const parallel::VectorUnit& unit) {
  const std::vector<workload::Piece> pieces = study.pieces();
  Charged charged(pieces.size(), unit, workload::weights_inside(pieces, counts));
  const auto charges_of = [&](int rank) {
    const auto turn = study.turn_of(rank);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (pieces[i].inside) continue;
      const bool counted = pieces[i].kind == workload::Piece::Kind::data_dependent;
      charged.at(i, pieces[i].part, counted ? workload::count_of(pieces[i], counts) : 1.0);
      turn->tell(pieces[i], charged);
    }
    return charged.take();
  };
  // The turn of one rank stands for those of all ranks that are alike. All ranks are added in
  // order, so that the sums round as the sums over all turns do.
  const std::vector<int> alike = each ? study.workload::Workload::alike() : study.alike();
  std::map<int, int> left;  // ranks of each kind still to be added
  for (const int kind : alike) ++left[kind];
  std::map<int, Charges> kept;
  for (const int kind : alike) {
    const auto [found, made] = kept.try_emplace(kind);
    if (made) found->second = charges_of(kind);
    charged.add_rank(found->second);
    if (--left[kind] == 0) kept.erase(found);
  }
  std::vector<KernelWork> result;
  for (const Kernel& kernel : charged.kernels()) result.push_back(mean_work(kernel, study.ranks()));
  std::stable_sort(result.begin(), result.end(),
                   [](const KernelWork& a, const KernelWork& b) { return a.part < b.part; });
  return result;
}

}  // namespace phasewise::driver
