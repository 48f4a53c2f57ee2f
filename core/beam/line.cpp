#include "beam/line.hpp"

#include <algorithm>
#include <cmath>

namespace phasewise::beam {

namespace {

// This many particles stay in the first-level cache while the elements of a line work on them.
constexpr std::int64_t block_size = 256;

// The average of elements that do not state their flops.
constexpr double usual_flops = 80.0;

// The element and the context are copies, so that the compiler knows that no store changes them.
template <class E>
__attribute__((noinline)) void push_block(const E element, const ParticleView& block,
                                          const PushContext context) {
  double* __restrict x = block.x;
  double* __restrict px = block.px;
  double* __restrict y = block.y;
  double* __restrict py = block.py;
  double* __restrict z = block.z;
  double* __restrict delta = block.delta;
  const std::uint32_t* __restrict id = block.id;
  const std::int64_t size = block.size;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < size; ++i) {
    Coordinates c{x[i], px[i], y[i], py[i], z[i], delta[i]};
    element.push(c, id[i], context);
    x[i] = c.x;
    px[i] = c.px;
    y[i] = c.y;
    py[i] = c.py;
    z[i] = c.z;
    delta[i] = c.delta;
  }
}

std::int64_t living(const ParticleView& block) {
  std::int64_t result = 0;
  for (std::int64_t i = 0; i < block.size; ++i) result += std::isnan(block.x[i]) ? 0 : 1;
  return result;
}

}  // namespace

bool is_aperture(const Element& element) {
  return std::holds_alternative<EllipticAperture>(element) ||
         std::holds_alternative<RectangularAperture>(element);
}

std::size_t Line::apertures() const {
  return static_cast<std::size_t>(std::ranges::count_if(elements_, is_aperture));
}

void Line::push(ParticleView particles, PushContext context, std::int64_t* stopped) const {
  for (std::int64_t begin = 0; begin < particles.size; begin += block_size) {
    const ParticleView block = particles.part(begin, std::min(block_size, particles.size - begin));
    context.element = first_element_;
    std::int64_t* here = stopped;
    for (const Element& element : elements_) {
      const bool counts = stopped != nullptr && is_aperture(element);
      if (counts) *here += living(block);
      std::visit([&](const auto& e) { push_block(e, block, context); }, element);
      if (counts) *here++ -= living(block);
      ++context.element;
    }
  }
}

parallel::KernelCard Line::card() const {
  double flops = 0.0;
  for (const Element& element : elements_)
    flops += std::visit(
        []<class E>(const E&) {
          if constexpr (requires { E::flops; })
            return E::flops;
          else
            return usual_flops;
        },
        element);
  return {.name = "arc",
          .flops = flops,
          .bytes = 96.0,  // read and written; a block stays in the cache
          .vectorised = true,
          .touched = 48.0,
          .trip = block_size};
}

}  // namespace phasewise::beam
