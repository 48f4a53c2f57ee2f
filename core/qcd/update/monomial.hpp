// A term of the action in a trajectory.
#pragma once

#include <cstdint>
#include <string_view>

#include "exchange/exchange.hpp"
#include "qcd/manner.hpp"
#include "qcd/update/momenta.hpp"

namespace phasewise::qcd {

// How the solves within a trajectory are iterated.
struct SolveControl {
  enum class Until : std::uint8_t {
    told_apart,  // not at all: a plan has the iterations as pieces of their own
    planned,     // a run without contents makes as many as the plan expects
    converged
  };
  Until until = Until::told_apart;
  double iterations = 0.0, updates = 0.0;  // planned, of one solve
};

// Of the solves in a trajectory.
struct SolveCounts {
  std::int64_t solves = 0, iterations = 0, updates = 0, unconverged = 0;
};

class Monomial {
 public:
  explicit Monomial(UpdateFields& fields);
  virtual ~Monomial() = default;
  Monomial(const Monomial&) = delete;
  Monomial& operator=(const Monomial&) = delete;

  // gauge, quarks, hasenbusch_1 …; it lives as long as the monomial.
  virtual std::string_view name() const = 0;
  // Exchanges of its own, in the same order on all ranks.
  virtual exchange::Exchanges exchanges() const { return {}; }
  virtual void set_manner(const Manner& /*manner*/) {}
  // Draws its fields at the start of a trajectory.
  virtual void refresh(std::int64_t /*trajectory*/, workload::Listener& /*listener*/) {}
  // The term of all ranks, with the same bits on each; infinite if it is not a number.
  virtual double action(workload::Listener& listener) = 0;
  // momenta -= step × its force.
  void force(double step, workload::Listener& listener);

  // If it solves: the pieces of a plan, one iteration and one update of any of its solves.
  virtual void tell_iteration(workload::Listener& /*listener*/) {}
  virtual void tell_update(workload::Listener& /*listener*/) {}
  void set_control(const SolveControl& control) { control_ = control; }

  // Forgets the norms and counts of the last trajectory.
  void clear();
  const ForceNorms& norms() const { return norms_; }
  std::int64_t force_calls() const { return force_calls_; }
  // The largest squared norm of a link of this rank in the last call of force(), and in all calls;
  // infinite if one is not finite.
  double last_largest() const { return last_largest_; }
  double largest() const { return largest_; }
  const SolveCounts& counts() const { return counts_; }

 protected:
  // Adds -step F to the momenta, and hands the squared norm of each link to norms_.add().
  virtual void add_force(double step, workload::Listener& listener) = 0;

  UpdateFields& fields_;
  ForceNorms norms_;
  SolveControl control_;
  SolveCounts counts_;

 private:
  std::int64_t force_calls_ = 0;
  double last_largest_ = 0.0, largest_ = 0.0;
};

}  // namespace phasewise::qcd
