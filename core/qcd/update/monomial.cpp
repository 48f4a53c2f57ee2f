#include "qcd/update/monomial.hpp"

#include <algorithm>

namespace phasewise::qcd {
namespace {

// One item is a link.
constexpr parallel::KernelCard largest_card{
    .name = "largest_force", .flops = 1.0, .bytes = 8.0, .vectorised = false};

}  // namespace

Monomial::Monomial(UpdateFields& fields) : fields_(fields) {
  if (!fields.real) return;
  norms_.last = parallel::Buffer<double>(fields.own_links());
  norms_.sum = parallel::Buffer<double>(fields.own_links());
  clear();
}

void Monomial::clear() {
  std::fill_n(norms_.sum.data(), norms_.sum.size(), 0.0);
  force_calls_ = 0;
  last_largest_ = largest_ = 0.0;
  counts_ = {};
}

void Monomial::force(double step, workload::Listener& listener) {
  add_force(step, listener);
  ++force_calls_;
  listener.kernel(largest_card, static_cast<double>(fields_.own_links()), [&] {
    last_largest_ = largest_of(norms_.last.data(), norms_.last.size(), fields_.threads);
    largest_ = std::max(largest_, last_largest_);
  });
}

}  // namespace phasewise::qcd
