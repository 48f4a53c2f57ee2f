// The kernels on the columns of a group, with lanes across columns or one at a time.
#pragma once

#include <functional>
#include <memory>

#include "atmosphere/physics.hpp"
#include "atmosphere/tables.hpp"

namespace phasewise::atmosphere {

struct ColumnGroup {
  double* const* columns;
  const Place* places;
  int count;
};

// One for each thread.
class ColumnKernels {
 public:
  virtual ~ColumnKernels() = default;
  virtual void long_wave(const ColumnGroup& group) = 0;
  virtual void short_wave(const ColumnGroup& group) = 0;
  // Both call failed(i) for each column i of the group that failed.
  using Failed = std::function<void(int column)>;
  virtual void adjust(const ColumnGroup& group, const Failed& failed) = 0;
  virtual void surface(const ColumnGroup& group, const Failed& failed) = 0;
};

std::unique_ptr<ColumnKernels> fast_kernels(const PhysicsSetting& setting, const Tables& tables);
std::unique_ptr<ColumnKernels> plain_kernels(const PhysicsSetting& setting, const Tables& tables);

}  // namespace phasewise::atmosphere
