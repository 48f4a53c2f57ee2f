#include "workload/pieces.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace phasewise::workload {
namespace {

// The pieces [first, last) of one series.
struct Series {
  std::size_t first, last;
  std::size_t size() const { return last - first; }
};

Series series_at(const std::vector<Piece>& pieces, std::size_t first) {
  std::size_t last = first + 1;
  while (last < pieces.size() && pieces[last].kind == Piece::Kind::series &&
         pieces[last].name == pieces[first].name && pieces[last].part == pieces[first].part)
    ++last;
  return {first, last};
}

// Calls once(piece) for each piece outside of a series, and many(series) for each series.
template <class Once, class Many>
void for_each_part(const std::vector<Piece>& pieces, Once&& once, Many&& many) {
  for (std::size_t i = 0; i < pieces.size();) {
    if (pieces[i].kind != Piece::Kind::series) {
      once(pieces[i++]);
      continue;
    }
    const Series series = series_at(pieces, i);
    many(series);
    i = series.last;
  }
}

// The pieces of one size in a series: the first one, and their number.
struct Alike {
  Piece first;
  double count;
};
std::vector<Alike> by_size(const std::vector<Piece>& pieces, const Series& series) {
  std::map<double, Alike> sizes;
  for (std::size_t i = series.first; i < series.last; ++i)
    ++sizes.try_emplace(pieces[i].size, Alike{pieces[i], 0.0}).first->second.count;
  std::vector<Alike> result;
  result.reserve(sizes.size());
  for (const auto& [size, alike] : sizes) result.push_back(alike);
  return result;
}

// Selects `count` of the sizes, spread evenly, with weights such that linear interpolation between
// them gives the sum over all.
std::vector<WeightedPiece> interpolating(const std::vector<Alike>& sizes, int count) {
  const int last = static_cast<int>(sizes.size()) - 1;
  std::vector<WeightedPiece> result;
  result.reserve(count);
  for (int i = 0; i < count; ++i)
    result.push_back({sizes[count > 1 ? last * i / (count - 1) : last].first, 0.0});
  std::size_t next = 0;
  for (const Alike& alike : sizes) {
    const double size = alike.first.size;
    while (next + 1 < result.size() && result[next].piece.size < size) ++next;
    WeightedPiece& above = result[next];
    if (above.piece.size == size || next == 0) {
      above.weight += alike.count;
      continue;
    }
    WeightedPiece& below = result[next - 1];
    const double part = (size - below.piece.size) / (above.piece.size - below.piece.size);
    above.weight += alike.count * part;
    below.weight += alike.count * (1.0 - part);
  }
  return result;
}

}  // namespace

double count_of(const Piece& piece, const PieceCounts& counts) {
  const auto found = counts.find(piece.name);
  return found == counts.end() ? piece.expected : found->second;
}

PieceCounts weights_inside(const std::vector<Piece>& pieces, const PieceCounts& counts) {
  PieceCounts weights;
  for (const Piece& piece : pieces)
    if (piece.inside && piece.first > 0.0)
      weights[std::string(piece.name)] = count_of(piece, counts) / piece.first;
  return weights;
}

std::vector<ShareOfTurns> turns_with(const std::vector<Piece>& pieces, const PieceCounts& counts) {
  std::set<double> shares{1.0};
  const PieceCounts weights = weights_inside(pieces, counts);
  for (const auto& [name, weight] : weights)
    if (weight > 0.0 && weight < 1.0) shares.insert(weight);
  std::vector<ShareOfTurns> turns;
  double before = 0.0;
  for (const double share : shares) {
    PieceCounts own = counts;
    for (const Piece& piece : pieces) {
      if (!piece.inside || piece.first == 0.0) continue;
      const double weight = weights.find(piece.name)->second;
      if (weight < 1.0) own[std::string(piece.name)] = weight < share ? 0.0 : piece.first;
    }
    turns.push_back({share - std::exchange(before, share), std::move(own)});
  }
  return turns;
}

std::vector<WeightedPiece> representative_pieces(const std::vector<Piece>& pieces,
                                                 const PieceCounts& counts, int max_series) {
  std::vector<WeightedPiece> result;
  for_each_part(
      pieces,
      [&](const Piece& piece) {
        const double weight =
            piece.kind == Piece::Kind::data_dependent ? count_of(piece, counts) : 1.0;
        if (weight > 0.0 && !piece.inside) result.push_back({piece, weight});
      },
      [&](const Series& series) {
        if (static_cast<std::size_t>(max_series) >= series.size()) {
          for (std::size_t i = series.first; i < series.last; ++i)
            result.push_back({pieces[i], 1.0});
          return;
        }
        const std::vector<Alike> sizes = by_size(pieces, series);
        const int count = std::min(max_series, static_cast<int>(sizes.size()));
        std::ranges::copy(interpolating(sizes, count), std::back_inserter(result));
      });
  return result;
}

std::vector<Piece> sampled_pieces(const std::vector<Piece>& pieces, int sample) {
  std::vector<Piece> result;
  for_each_part(
      pieces, [&](const Piece& piece) { result.push_back(piece); },
      [&](const Series& series) {
        const auto all = static_cast<std::int64_t>(series.size());
        const std::int64_t count = sample > 0 ? std::min<std::int64_t>(sample, all) : all;
        for (std::int64_t i = 0; i < count; ++i)
          result.push_back(pieces[series.first + (2 * i + 1) * all / (2 * count)]);
      });
  return result;
}

int distinct_sizes(const std::vector<Piece>& pieces) {
  int largest = 1;
  for_each_part(
      pieces, [](const Piece&) {},
      [&](const Series& series) {
        largest = std::max(largest, static_cast<int>(by_size(pieces, series).size()));
      });
  return largest;
}

}  // namespace phasewise::workload
