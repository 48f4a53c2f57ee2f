#include "atmosphere/group_kernels.hpp"

namespace phasewise::atmosphere {

std::unique_ptr<ColumnKernels> fast_kernels(const PhysicsSetting& setting, const Tables& tables) {
  return std::make_unique<GroupKernels<Lanes>>(setting, tables);
}

}  // namespace phasewise::atmosphere
