#include "lattice/turn.hpp"

#include <utility>

#include "lattice/phases.hpp"

namespace phasewise::lattice {
namespace {

// Planes of the neighbours' links: rectangles are two links long.
int halo_of(const Description& description) { return description.rectangles ? 2 : 1; }

}  // namespace

Ranks::Ranks(const Description& description, const std::vector<int>& nodes)
    : grid(grid_for(description, static_cast<int>(nodes.size()))),
      places(places_of(description.size, grid, description.layout, nodes, description.seed)),
      at(ranks_at(grid, places)) {}

Turn::Turn(const Description& description, const Ranks& ranks, const std::vector<int>& nodes,
           int rank, int threads, bool real)
    : description_(description),
      position_{description.size, ranks.grid, ranks.places, ranks.at, nodes, rank},
      domain_(position_.domain()),
      real_(real),
      links_(domain_, halo_of(description), real),
      gauge_(position_, description.rectangles, threads, real),
      smeared_(position_, description.smearing, description.source, threads, real),
      solver_(description, position_, threads, real),
      of_links_(axes),
      pion_(description.pion ? static_cast<std::size_t>(description.size[3]) : 0) {
  for (int axis = 0; axis < axes; ++axis)
    if (domain_.split(axis))
      of_links_[static_cast<std::size_t>(axis)] =
          face_exchange(position_, phases::links[axis], axis, links_.box().faces(axis),
                        Regions::together, comm::common_channel, comm::Protocol::irecv_isend);
}

void Turn::set_manner(const Manner& manner) { solver_.set_manner(manner); }

comm::Exchanges Turn::exchanges() const {
  comm::Exchanges all = solver_.exchanges();
  all.insert(all.end(), of_links_.begin(), of_links_.end());
  for (const comm::Exchanges& more : {gauge_.exchanges(), smeared_.exchanges()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

void Turn::tell(const workload::Piece& piece, workload::Listener& listener) {
  if (piece.name == pieces::links) return tell_links(listener);
  if (piece.name == pieces::source) return begin(piece.index, listener);
  if (piece.name == pieces::iteration) return solver_.iterate(listener);
  if (piece.name == pieces::update) return solver_.update(listener);
  solver_.end(listener);
  if (description_.pion) solver_.add_pion(pion_, listener);
}

// Components count colours first.
void Turn::begin(int component, workload::Listener& listener) {
  const int spin = component / 3, colour = component % 3;
  if (description_.smearing.iterations == 0)
    solver_.set_point(component);
  else
    solver_.set_source(real_ ? smeared_.spinors(spin, colour) : std::vector<double>{},
                       smeared_.length(colour));
  solver_.begin(listener);
}

void Turn::tell_links(workload::Listener& listener) {
  for (const comm::ExchangePointer& exchange : of_links_) {
    if (!exchange) continue;
    listener.start(comm::common_channel, [&](comm::Works& works) {
      const comm::ItemBuffer buffer(real_ ? links_.data() : nullptr, links_.bytes());
      works.push_back({comm::lent(exchange), buffer, buffer});
    });
    listener.finish(comm::common_channel);
  }
  gauge_.tell(links_, listener);
  smeared_.tell(links_, listener);
  solver_.set_links(links_, listener);
}

}  // namespace phasewise::lattice
