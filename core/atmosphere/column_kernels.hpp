// The kernels on a few columns: as many as a vector has lanes, or one.
#pragma once

#include <memory>

#include "atmosphere/physics.hpp"
#include "atmosphere/tables.hpp"

namespace phasewise::atmosphere {

struct ColumnGroup {
  double* const* columns;
  const Place* places;
  int count;  // at most `width`
};

// One for each thread.
class ColumnKernels {
 public:
  virtual ~ColumnKernels() = default;
  virtual int width() const = 0;
  virtual void long_wave(const ColumnGroup& group) = 0;
  virtual void short_wave(const ColumnGroup& group) = 0;
  // Both return the first column of the group that failed, or -1.
  virtual int adjust(const ColumnGroup& group) = 0;
  virtual int surface(const ColumnGroup& group) = 0;
};

std::unique_ptr<ColumnKernels> fast_kernels(const PhysicsSetting& setting, const Tables& tables);
std::unique_ptr<ColumnKernels> plain_kernels(const PhysicsSetting& setting, const Tables& tables);

}  // namespace phasewise::atmosphere
