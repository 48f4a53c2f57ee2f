#include "probe/device.hpp"

#include <stdexcept>

#include "gpu/cuda_plug_in.hpp"
#include "probe/gpu/measure.hpp"

namespace phasewise::probe {

DeviceRates measure_emulated() { return gpu::emulated::measure(); }

DeviceRates measure_cuda(int number) {
  std::string why;
  const auto measure = reinterpret_cast<decltype(&phasewise_measure_cuda)>(
      phasewise::gpu::cuda_function("phasewise_measure_cuda", why));
  DeviceRates rates;
  if (measure == nullptr || !measure(number, &rates, &why))
    throw std::invalid_argument("device cuda: " + why);
  return rates;
}

}  // namespace phasewise::probe
