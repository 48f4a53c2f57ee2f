#include <variant>

#include "gpu/push.hpp"
#include "parallel/loops.hpp"

namespace phasewise::gpu {
namespace {

template <class E>
void push_element(const E element, const beam::ParticleView particles,
                  const beam::PushContext context) {
  parallel::for_each_on_device(particles.size, [=] __device__(std::int64_t i) {
    beam::Coordinates c = beam::load(particles, i);
    element.push(c, particles.id[i], context);
    beam::store(particles, i, c);
  });
}

}  // namespace

void push(const beam::Element& element, const beam::ParticleView& particles,
          const beam::PushContext& context) {
  std::visit([&](const auto& e) { push_element(e, particles, context); }, element);
}

}  // namespace phasewise::gpu
