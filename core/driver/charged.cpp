#include "driver/charged.hpp"

#include <algorithm>

#include "driver/offline_listener.hpp"

namespace phasewise::driver {
namespace {

using parallel::KernelCard;

// The work of one kernel in one piece: of all ranks, and of the present one.
struct PieceWork {
  double sum = 0.0, largest = 0.0, of_rank = 0.0;  // flops, or bytes if a kernel has none

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

// Hears the turns of all ranks, one after the other.
class Charged : public OfflineListener {
 public:
  explicit Charged(std::size_t pieces) : pieces_(pieces) {}

  void at(std::size_t piece, int part, double weight) {
    piece_ = piece;
    part_ = part;
    weight_ = weight;
  }
  void end_rank() {
    for (Kernel& kernel : kernels_)
      for (PieceWork& piece : kernel.pieces) piece.end_rank();
  }
  const std::vector<Kernel>& kernels() const { return kernels_; }

  void kernel(const KernelCard& card, double items,
              const std::function<void()>& /*work*/) override {
    Kernel& found = find(card);
    const double count = items * weight_;
    found.work.items += count;
    found.work.flops += count * card.flops;
    found.work.bytes += count * card.bytes;
    found.pieces[piece_].of_rank += count * (card.flops > 0.0 ? card.flops : card.bytes);
  }

 private:
  Kernel& find(const KernelCard& card) {
    for (Kernel& kernel : kernels_)
      if (kernel.work.part == part_ && kernel.work.name == card.name) return kernel;
    return kernels_.emplace_back(
        Kernel{{.name = std::string(card.name), .part = part_, .vectorised = card.vectorised},
               std::vector<PieceWork>(pieces_)});
  }
  std::size_t pieces_, piece_ = 0;
  int part_ = 0;
  double weight_ = 1.0;
  std::vector<Kernel> kernels_;
};

KernelWork mean_work(const Kernel& kernel, int ranks) {
  KernelWork work = kernel.work;
  for (double* amount : {&work.items, &work.flops, &work.bytes}) *amount /= ranks;
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
                                     const workload::PieceCounts& counts) {
  const std::vector<workload::Piece> pieces = study.pieces();
  Charged charged(pieces.size());
  for (int rank = 0; rank < study.ranks(); ++rank) {
    const auto turn = study.turn_of(rank);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const bool counted = pieces[i].kind == workload::Piece::Kind::data_dependent;
      charged.at(i, pieces[i].part, counted ? workload::count_of(pieces[i], counts) : 1.0);
      turn->tell(pieces[i], charged);
    }
    charged.end_rank();
  }
  std::vector<KernelWork> result;
  for (const Kernel& kernel : charged.kernels()) result.push_back(mean_work(kernel, study.ranks()));
  std::stable_sort(result.begin(), result.end(),
                   [](const KernelWork& a, const KernelWork& b) { return a.part < b.part; });
  return result;
}

}  // namespace phasewise::driver
