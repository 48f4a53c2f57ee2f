// A line: elements in the order in which the beam meets them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "beam/combined_bend.hpp"
#include "beam/coordinates.hpp"
#include "beam/elements.hpp"
#include "beam/maps.hpp"
#include "beam/thick.hpp"
#include "beam/thin.hpp"
#include "parallel/kernel.hpp"

namespace phasewise::beam {

using Element =
    std::variant<Twiss, Synchrotron, RadioFrequency, Damping, EllipticAperture, RectangularAperture,
                 Feedback, BeamNoise, Matrix, SecondOrder, MidplaneSecondOrder, Drift, Quadrupole,
                 SectorBend, CombinedBend, Solenoid, ConstantFocusing, Multipole, CombinedBendRest,
                 DipoleEdge, RfGap>;

bool is_aperture(const Element& element);

class Line {
 public:
  Line() = default;
  // first_element is the number of elements in the beam's earlier lines, so that no two elements of
  // a turn draw the same random numbers.
  explicit Line(std::vector<Element> elements, std::uint32_t first_element = 0)
      : elements_(std::move(elements)), first_element_(first_element) {}

  // Takes the particles through all elements; context.element is set here. Runs on the calling
  // thread: threads take disjoint parts of a view. If `stopped` is given, it has a number for each
  // aperture, to which the particles that the aperture stops are added.
  void push(ParticleView particles, PushContext context, std::int64_t* stopped = nullptr) const;

  // One item is a particle taken through all elements.
  parallel::KernelCard card() const;

  std::size_t size() const { return elements_.size(); }
  std::size_t apertures() const;
  const std::vector<Element>& elements() const { return elements_; }
  std::uint32_t first_element() const { return first_element_; }

 private:
  std::vector<Element> elements_;
  std::uint32_t first_element_ = 0;
};

}  // namespace phasewise::beam
