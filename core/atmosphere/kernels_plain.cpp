#include "atmosphere/group_kernels.hpp"

namespace phasewise::atmosphere {

std::unique_ptr<ColumnKernels> plain_kernels(const PhysicsSetting& setting, const Tables& tables) {
  return std::make_unique<GroupKernels<double>>(setting, tables);
}

}  // namespace phasewise::atmosphere
