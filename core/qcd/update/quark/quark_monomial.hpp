// The pseudofermion action of two degenerate flavours, S = a |φ|² + b φ† (M†M + µ²)⁻¹ φ on the even
// sites, with the even-odd matrix M of dirac.hpp. Without a further mass, a = 0 and b = 1: the
// weight is det (M†M + µ²). As a ratio to a heavier µ₂, a = 1 and b = µ₂² - µ²: it is det (M†M +
// µ²)/(M†M + µ₂²) (M. Hasenbusch, Phys. Lett. B 519 (2001) 177).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "qcd/update/monomial.hpp"
#include "qcd/update/quark/quark_system.hpp"

namespace phasewise::qcd {

struct QuarkTerm {
  std::string name;
  int number = 0;  // among the quark monomials, from the lightest
  double mass = 0.0;
  std::optional<double> heavier{};  // µ₂ of a ratio
  double force_tolerance = 0.0, action_tolerance = 0.0;
  QuarkSystem::Determinant determinant = QuarkSystem::Determinant::without;
};

class QuarkMonomial final : public Monomial {
 public:
  QuarkMonomial(UpdateFields& fields, QuarkSystem& system, QuarkTerm term);

  std::string_view name() const override { return term_.name; }
  void refresh(std::int64_t trajectory, workload::Listener& listener) override;
  double action(workload::Listener& listener) override;
  void tell_iteration(workload::Listener& listener) override;
  void tell_update(workload::Listener& listener) override;

  // φ in the order of the hopping matrix.
  const Field<double>& pseudofermion() const { return phi_; }

 protected:
  void add_force(double step, workload::Listener& listener) override;

 private:
  double a() const { return term_.heavier ? 1.0 : 0.0; }
  double b() const { return term_.heavier ? *term_.heavier * *term_.heavier - shift() : 1.0; }
  double shift() const { return term_.mass * term_.mass; }
  void draw(int vector, std::int64_t trajectory, Field<double>& to, workload::Listener& listener);
  // x = (M†M + µ²)⁻¹ φ; returns whether it converged, where it should.
  bool solve(double tolerance, workload::Listener& listener);

  QuarkSystem& system_;
  QuarkTerm term_;
  Field<double> phi_;
  double squared_ = 0.0;  // |φ|²
};

}  // namespace phasewise::qcd
