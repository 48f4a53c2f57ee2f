#include "qcd/dirac/halo_hopping.hpp"

#include "qcd/phases.hpp"

namespace phasewise::qcd {
namespace {

// One item is a site of a face in one direction. For half spinors, half of the sites are only
// projected, and half are multiplied by a link too.
template <class Real>
parallel::KernelCard pack_card(Spinors spinors) {
  constexpr double single = sizeof(Real) / 8.0;
  if (spinors == Spinors::full)
    return {.name = "faces", .flops = 0.0, .bytes = 384.0 * single, .vectorised = false};
  return {.name = "faces", .flops = 12.0 + 66.0, .bytes = 360.0 * single, .vectorised = false};
}

template <class Real>
std::int64_t site_bytes(Spinors spinors) {
  return static_cast<std::int64_t>(sizeof(Real)) * (spinors == Spinors::half ? 12 : 24);
}

// The runs, in a field of single sites, of a face's sites of one parity at a place along an axis.
// Neighbouring runs may touch.
std::vector<exchange::Region> runs_of_face(const Extents& box, int axis, int at, int parity,
                                           std::int64_t count, std::int64_t bytes) {
  std::vector<exchange::Region> runs;
  Extents face = box;
  face[axis] = 1;
  const std::int64_t length = volume_of(face) / 2 / count * bytes;
  for_each_site(face, [&](Extents site) {
    site[axis] = at;
    if (parity_of(site) != parity) return;
    if (runs.empty() || runs.back().run == length)
      runs.push_back({.offset = half_site_of(box, site) * bytes, .run = 0, .repeats = nullptr});
    runs.back().run += bytes;
  });
  return runs;
}

}  // namespace

template <class Real>
HaloHopping<Real>::HaloHopping(const Position& position, const Manner& manner, int threads,
                               bool real)
    : position_(position),
      domain_(position.domain()),
      manner_(manner),
      threads_(threads),
      real_(real),
      messages_(domain_, site_bytes<Real>(manner.spinors), real) {
  make_exchanges();
}

// If they are packed, the faces of both parities use the same exchanges.
template <class Real>
void HaloHopping<Real>::make_exchanges() {
  for (int parity = 0; parity < 2; ++parity) {
    exchanges_[parity].assign(axes, nullptr);
    for (int axis = 0; axis < axes; ++axis)
      if (domain_.split(axis))
        exchanges_[parity][static_cast<std::size_t>(axis)] =
            parity == 1 && !manner_.from_field() ? exchanges_[0][static_cast<std::size_t>(axis)]
                                                 : exchange_of(axis, parity);
  }
}

template <class Real>
exchange::ExchangePointer HaloHopping<Real>::exchange_of(int axis, int parity) const {
  const bool apart = manner_.blocks == Blocks::runs;
  Faces faces = messages_.faces(axis);
  if (apart) faces = divided(faces, messages_.runs(axis));
  if (manner_.from_field()) {
    const std::int64_t bytes = site_bytes<Real>(Spinors::full);
    faces.to_before = runs_of_face(domain_.extents(), axis, 0, parity, messages_.runs(axis), bytes);
    faces.to_behind = runs_of_face(domain_.extents(), axis, domain_.extent(axis) - 1, parity,
                                   messages_.runs(axis), bytes);
  }
  return face_exchange(
      position_, phases::halo[axis], axis, faces, apart ? Regions::apart : Regions::together,
      manner_.overlaps() ? static_cast<exchange::Channel>(axis) : exchange::common_channel,
      manner_.halo);
}

template <class Real>
exchange::Exchanges HaloHopping<Real>::exchanges() const {
  exchange::Exchanges all = exchanges_[0];
  if (manner_.from_field()) all.insert(all.end(), exchanges_[1].begin(), exchanges_[1].end());
  return all;
}

template <class Real>
void HaloHopping<Real>::set_manner(const Manner& manner) {
  const bool other = manner.spinors != manner_.spinors || manner.kernel != manner_.kernel ||
                     manner.two_rows != manner_.two_rows;
  manner_ = manner;
  if (other) {
    messages_ = FaceMessages(domain_, site_bytes<Real>(manner.spinors), real_);
    if (hops_.links != nullptr) make_hopping();
  }
  make_exchanges();
}

template <class Real>
void HaloHopping<Real>::set_links(const Hops& hops, workload::Listener& listener) {
  listener.kernel(take_links_card<Real>(manner_.two_rows), static_cast<double>(domain_.volume()),
                  [&] {
                    const bool again = hops_.links != nullptr;
                    hops_ = hops;
                    if (again)
                      hopping_->set_links(*hops.links, hops.factors);
                    else
                      make_hopping();
                  });
}

template <class Real>
void HaloHopping<Real>::make_hopping() {
  HoppingShape shape{.box = domain_.extents(), .threads = threads_};
  for (int axis = 0; axis < axes; ++axis) shape.split[axis] = domain_.split(axis);
  shape.spinors = manner_.spinors == Spinors::half ? FaceSpinors::half : FaceSpinors::full;
  shape.third_row = third_row_of(hops_.factors, domain_);
  shape.two_rows = manner_.two_rows;
  hopping_ = Hopping<Real>::make(manner_.kernel, shape);
  hopping_->set_links(*hops_.links, hops_.factors);
}

// Half of the number of sites that are not on a face.
template <class Real>
std::int64_t HaloHopping<Real>::inside() const {
  Extents box = domain_.extents();
  for (int axis = 0; axis < axes; ++axis)
    if (domain_.split(axis)) box[axis] -= 2;
  return volume_of(box) / 2;
}

template <class Real>
void HaloHopping<Real>::start_exchange(int axis, int to, const Field<Real>& in,
                                       workload::Listener& listener) {
  const auto channel =
      manner_.overlaps() ? static_cast<exchange::Channel>(axis) : exchange::common_channel;
  listener.start(channel, [&](exchange::Works& works) {
    const exchange::ItemBuffer arrives(messages_.data(), messages_.bytes());
    // An exchange only reads what it sends.
    auto* field = const_cast<Real*>(in.data());
    const exchange::ItemBuffer leaves =
        manner_.from_field() ? exchange::ItemBuffer(field, spinor_reals * domain_.volume() / 2)
                             : arrives;
    works.push_back(
        {exchange::lent(exchanges_[1 - to][static_cast<std::size_t>(axis)]), leaves, arrives});
  });
}

// Exchanges axis by axis, or along all axes at once while sites that do not need the faces are
// computed.
template <class Real>
void HaloHopping<Real>::apply(int to, bool dagger, const Field<Real>& in, Field<Real>& out,
                              workload::Listener& listener) {
  bool split = false;
  for (int axis = 0; axis < axes; ++axis) {
    if (!domain_.split(axis)) continue;
    split = true;
    listener.kernel(pack_card<Real>(manner_.spinors), static_cast<double>(domain_.face(axis)), [&] {
      for (int side = 0; side < 2; ++side)
        hopping_->pack(to, axis, side, dagger, in.data(), messages_.leaving(axis, side));
    });
    start_exchange(axis, to, in, listener);
    // Nothing is posted before the exchange is asked to progress.
    if (!manner_.overlaps()) listener.finish(exchange::common_channel);
    if (manner_.overlaps() && !beside()) listener.progress(static_cast<exchange::Channel>(axis));
  }
  const parallel::KernelCard card = hopping_card<Real>(manner_.two_rows);
  const auto interior = [&](const Beside& meanwhile) {
    hopping_->interior(to, dagger, in.data(), out.data(), meanwhile);
  };
  const auto boundary = [&] {
    hopping_->boundary(to, dagger, in.data(), messages_.arrived(), out.data());
  };
  if (!manner_.overlaps() || !split)
    return listener.kernel(card, half_volume(), [&] {
      interior({});
      if (split) boundary();
    });
  const auto within = static_cast<double>(inside());
  const bool by_thread = beside() && within > 0.0;
  if (within > 0.0)
    listener.kernel(card, within, [&] {
      interior(by_thread ? Beside([&] { finish_exchanges(listener); }) : Beside());
    });
  if (!by_thread) finish_exchanges(listener);
  listener.kernel(card, half_volume() - within, boundary);
}

// Whether one thread communicates while others compute: if there are other threads, and work for
// them.
template <class Real>
bool HaloHopping<Real>::beside() const {
  return manner_.overlap == Overlap::thread && threads_ > 1 && real_;
}

// Starts the exchanges that have not begun before it waits for the first one.
template <class Real>
void HaloHopping<Real>::finish_exchanges(workload::Listener& listener) {
  for (int axis = 0; axis < axes; ++axis)
    if (beside() && domain_.split(axis)) listener.progress(static_cast<exchange::Channel>(axis));
  for (int axis = 0; axis < axes; ++axis)
    if (domain_.split(axis)) listener.finish(static_cast<exchange::Channel>(axis));
}

template class HaloHopping<double>;
template class HaloHopping<float>;

}  // namespace phasewise::qcd
