// The workload `kernels`: its phase, and the turn of a rank.
#include "kernels/turn.hpp"
#include "workload/entry.hpp"

namespace phasewise::kernels {
namespace {

// One item is a check of a result; it reads at most the matrices that a call of the kernel reads.
parallel::KernelCard check_card(const Description& description) {
  const parallel::KernelCard kernel = card_of(description);
  return {.name = "check", .flops = 0.0, .bytes = kernel.bytes, .vectorised = false};
}

class Kernels : public workload::Planned<Turn> {
 public:
  Kernels(const workload::Parameters& parameters, workload::Nodes nodes)
      : Planned(std::move(nodes)), description_(parameters) {}

  std::vector<workload::Phase> phases() const override {
    return {workload::main_phase(workload::checks, "sum", "all")};
  }
  std::vector<workload::Piece> pieces() const override { return {{.name = "kernel"}}; }
  std::unique_ptr<Turn> make_turn(int /*rank*/, workload::Contents contents) const override {
    return std::make_unique<Turn>(description_, contents);
  }
  std::vector<int> place(int rank) const override { return {rank}; }
  // All ranks do the same work.
  std::vector<int> typical_ranks() const override { return {0}; }
  std::vector<int> alike() const override { return std::vector<int>(nodes().size(), 0); }

 private:
  Description description_;
};

}  // namespace

Turn::Turn(const Description& description, workload::Contents contents)
    : description_(description) {
  if (contents == workload::Contents::real) case_ = make_case(description);
}

void Turn::tell(const workload::Piece& /*piece*/, workload::Listener& listener) {
  listener.kernel(card_of(description_), static_cast<double>(description_.repetitions), [&] {
    for (std::int64_t k = 0; k < description_.repetitions; ++k) case_->run();
  });
  if (!description_.verify) return;
  listener.kernel(check_card(description_), 1.0, [&] { residual_[0] = case_->residual(); });
  listener.max(workload::checks, residual_);
}

std::vector<workload::Value> Turn::record() const {
  if (!description_.verify) return {};
  return {{"residual", {}, {residual_[0]}}};
}

workload::Entry entry() { return workload::entry_for<Kernels, workload::PlannedRun<Turn>>(); }

}  // namespace phasewise::kernels
