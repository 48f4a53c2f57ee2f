// Transforms of Green functions in a device's memory. The host makes them; they stay on the device
// as long as the host keeps them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "field/green_transform.hpp"
#include "gpu/memory.hpp"

namespace phasewise::field::gpu::PHASEWISE_PLATFORM {

namespace platform = phasewise::gpu::PHASEWISE_PLATFORM;
using platform::Array;
using Complex = std::complex<double>;

class KeptGreens {
 public:
  const Complex* of(const std::shared_ptr<const GreenTransform>& green) {
    for (Kept& kept : kept_)
      if (kept.host == green) return kept.values.data();
    Kept made{green, {}};
    made.values.copy_from(green->values.data(), green->values.size());
    return kept_.emplace_back(std::move(made)).values.data();
  }
  void forget_unused() {
    std::erase_if(kept_, [](const Kept& kept) { return kept.host.use_count() == 1; });
  }

 private:
  struct Kept {
    std::shared_ptr<const GreenTransform> host;
    Array<Complex> values;
  };
  std::vector<Kept> kept_;
};

}  // namespace phasewise::field::gpu::PHASEWISE_PLATFORM
