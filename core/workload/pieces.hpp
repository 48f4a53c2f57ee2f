// Selections of a turn's pieces that stand for all of them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workload/workload.hpp"

namespace phasewise::workload {

// How often data-dependent pieces occur in a turn, by name. Pieces without an entry occur as often
// as the workload expects.
using PieceCounts = std::map<std::string, double, std::less<>>;

double count_of(const Piece& piece, const PieceCounts& counts);

// For each piece inside of others, how often it is counted whenever it is reported.
PieceCounts weights_inside(const std::vector<Piece>& pieces, const PieceCounts& counts);

// Turns that make up the mean turn, each with its share. While a rank makes what a piece inside of
// others makes, all wait for it, which a fraction of the piece does not show. A count below that of
// the first turn is therefore the share of turns that have all of the piece.
struct ShareOfTurns {
  double share;
  PieceCounts counts;
};
std::vector<ShareOfTurns> turns_with(const std::vector<Piece>& pieces, const PieceCounts& counts);

struct WeightedPiece {
  Piece piece;
  double weight;
};

// Pieces that stand for the whole turn. A series of at most `max_series` pieces is used in full. In
// a longer one, pieces of the same size count as alike, and at most `max_series` sizes are used;
// their weights interpolate the time linearly in the size. The weight of a data-dependent piece is
// its count; it is left out if the count is 0, or if other pieces report it.
std::vector<WeightedPiece> representative_pieces(const std::vector<Piece>& pieces,
                                                 const PieceCounts& counts, int max_series);

// The turn with only `sample` pieces of each series, spread evenly; with all of them if `sample` is
// 0.
std::vector<Piece> sampled_pieces(const std::vector<Piece>& pieces, int sample);

// The largest number of different sizes in a series.
int distinct_sizes(const std::vector<Piece>& pieces);

}  // namespace phasewise::workload
