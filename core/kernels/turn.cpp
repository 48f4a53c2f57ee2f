#include "kernels/turn.hpp"

namespace phasewise::kernels {
namespace {

// One item is a check of a result; it reads at most the matrices that a call of the kernel reads.
parallel::KernelCard check_card(const Description& description) {
  const parallel::KernelCard kernel = card_of(description);
  return {.name = "check", .flops = 0.0, .bytes = kernel.bytes, .vectorised = false};
}

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

}  // namespace phasewise::kernels
