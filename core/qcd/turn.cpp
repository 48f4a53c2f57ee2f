#include "qcd/turn.hpp"

#include <algorithm>
#include <stdexcept>

#include "qcd/phases.hpp"
#include "qcd/turn_pieces.hpp"

namespace phasewise::qcd {
Ranks::Ranks(const Description& description, const std::vector<int>& nodes)
    : grid(grid_for(description, static_cast<int>(nodes.size()))),
      places(description.layout == Layout::file
                 ? places_numbered(grid, description.places)
                 : places_of(description.size, grid, description.layout, nodes, description.seed)),
      at(ranks_at(grid, places)) {}

Turn::Turn(const Description& description, const Ranks& ranks, const std::vector<int>& nodes,
           int rank, int threads, bool real)
    : description_(description),
      position_{description.size, ranks.grid, ranks.places, ranks.at, nodes, rank},
      domain_(position_.domain()),
      threads_(threads),
      real_(real),
      links_(domain_, description.halo(), real),
      gauge_(position_, description.rectangles, threads, real),
      flow_(domain_, description.flow, description.halo(), threads, lanes_of(description.manner),
            real),
      smeared_(position_, description.smearing, description.source(0), threads, real),
      of_links_(axes),
      pion_(description.pion ? static_cast<std::size_t>(description.size[3]) : 0) {
  for (int number = 0; number < std::min(description.stout.steps, 2); ++number)
    smooth_.emplace_back(domain_, description.halo(), real);
  if (description.has_solver())
    solver_ = std::make_unique<Solver>(description, position_, threads, real);
  if (description.update.updates())
    update_ = std::make_unique<Update>(
        description, position_, links_,
        [this](workload::Listener& listener) { exchange_links(links_, listener); }, threads, real);
  for (int axis = 0; axis < axes; ++axis)
    if (domain_.split(axis))
      of_links_[static_cast<std::size_t>(axis)] = face_exchange(
          position_, phases::links[axis], axis, links_.box().faces(axis), Regions::together,
          exchange::common_channel, exchange::Protocol::irecv_isend);
}

void Turn::set_manner(const Manner& manner) {
  if (solver_) solver_->set_manner(manner);
  if (update_) update_->set_manner(manner);
  flow_.set_lanes(lanes_of(manner));
}

exchange::Exchanges Turn::exchanges() const {
  exchange::Exchanges all;
  const auto add = [&](const exchange::Exchanges& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if (solver_) add(solver_->exchanges());
  add(of_links_);
  add(gauge_.exchanges());
  add(smeared_.exchanges());
  if (update_) add(update_->exchanges());
  return all;
}

Solver* Turn::with_solver() const {
  if (!solver_) throw std::invalid_argument("this study solves nothing for a source");
  return solver_.get();
}

void Turn::tell(const workload::Piece& piece, workload::Listener& listener) {
  if (piece.name == pieces::links) return tell_links(listener);
  if (piece.name == pieces::trajectory || piece.name == pieces::sweeps) {
    update_->tell(number_, listener);
    return gauge_.tell(links_, listener);
  }
  if (piece.name == pieces::measurement) return tell_measurement(listener);
  if (tell_of_monomial(piece.name, listener)) return;
  if (piece.name == pieces::source) return begin(piece.index, listener);
  if (piece.name == pieces::iteration) return solver_->iterate(listener);
  if (piece.name == pieces::update) return solver_->update(listener);
  solver_->end(listener);
  if (description_.pion) solver_->add_pion(pion_, listener);
}

bool Turn::tell_of_monomial(std::string_view piece, workload::Listener& listener) {
  if (!update_) return false;
  for (const Term& term : update_->terms()) {
    Monomial& monomial = update_->monomial(term.name);
    if (piece == iteration_of(term.name)) return monomial.tell_iteration(listener), true;
    if (piece == update_of(term.name)) return monomial.tell_update(listener), true;
  }
  return false;
}

// Components are counted with colours fastest.
void Turn::begin(int component, workload::Listener& listener) {
  const int spin = component / 3, colour = component % 3;
  if (description_.smearing.iterations == 0)
    solver_->set_point(component);
  else
    solver_->set_source(real_ ? smeared_.spinors(spin, colour) : std::vector<double>{},
                        smeared_.length(colour));
  solver_->begin(listener);
}

void Turn::exchange_links(Links& links, workload::Listener& listener) {
  for (const exchange::ExchangePointer& exchange : of_links_) {
    if (!exchange) continue;
    listener.start(exchange::common_channel, [&](exchange::Works& works) {
      const exchange::ItemBuffer buffer(real_ ? links.data() : nullptr, links.bytes());
      works.push_back({exchange::lent(exchange), buffer, buffer});
    });
    listener.finish(exchange::common_channel);
  }
}

const Links& Turn::smooth_links(workload::Listener& listener) {
  Links* now = &links_;
  for (int step = 0; step < description_.stout.steps; ++step) {
    Links& next = smooth_[static_cast<std::size_t>(step % 2)];
    listener.kernel(stout_card(), static_cast<double>(domain_.volume()), [&] {
      stout_step(*now, description_.stout.weight, threads_, lanes_of(description_.manner), next);
    });
    exchange_links(next, listener);
    now = &next;
  }
  return *now;
}

void Turn::flow(workload::Listener& listener) {
  flow_.tell(links_, listener,
             [this](Links& links, workload::Listener& to) { exchange_links(links, to); });
}

void Turn::give_links(workload::Listener& listener) {
  const Links& smooth = smooth_links(listener);
  smeared_.tell(smooth, listener);
  solver_->set_links(smooth, listener);
}

void Turn::tell_links(workload::Listener& listener) {
  exchange_links(links_, listener);
  if (update_) return update_->links_changed();
  gauge_.tell(links_, listener);
  flow(listener);
  if (solver_) give_links(listener);
}

void Turn::tell_measurement(workload::Listener& listener) {
  flow(listener);
  if (solver_) give_links(listener);
}

}  // namespace phasewise::qcd
