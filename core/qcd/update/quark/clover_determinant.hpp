// The determinant of the odd sites' part of D for two flavours: S = -log det (A A†), which is
// -2 log |det A| without a twisted mass, and -log det (A² + µ²) of the Hermitian A with one.
#pragma once

#include "qcd/update/monomial.hpp"
#include "qcd/update/quark/quark_system.hpp"

namespace phasewise::qcd {

class CloverDeterminant final : public Monomial {
 public:
  CloverDeterminant(UpdateFields& fields, QuarkSystem& system)
      : Monomial(fields), system_(system) {}

  std::string_view name() const override { return "clover_determinant"; }
  double action(workload::Listener& listener) override {
    system_.take_links(listener);
    return system_.determinant_action(listener);
  }

 protected:
  void add_force(double step, workload::Listener& listener) override {
    system_.take_links(listener);
    system_.move_by_determinant(step, norms_, listener);
  }

 private:
  QuarkSystem& system_;
};

}  // namespace phasewise::qcd
