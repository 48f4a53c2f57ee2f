// Which pieces of a turn are told, and for how many each stands.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workload/workload.hpp"

namespace phasewise::workload {

// How often data-dependent pieces come in a turn, by name; those that are not named come as often
// as the workload expects.
using PieceCounts = std::map<std::string, double, std::less<>>;

double count_of(const Piece& piece, const PieceCounts& counts);

struct WeightedPiece {
  Piece piece;
  double weight;
};

// Pieces of a turn that stand for all of it: all where the longest series has at most `max_series`
// pieces. Else the pieces of a series that have the same size count as alike, and at most
// `max_series` sizes are taken: the time of the others is interpolated in the size. Data-dependent
// pieces have their counts as weights, and are left out where that is 0.
std::vector<WeightedPiece> representative_pieces(const std::vector<Piece>& pieces,
                                                 const PieceCounts& counts, int max_series);

// Of each series `sample` pieces, spread evenly; all where sample is 0.
std::vector<Piece> sampled_pieces(const std::vector<Piece>& pieces, int sample);

// The number of different sizes in the series that has most of them.
int distinct_sizes(const std::vector<Piece>& pieces);

}  // namespace phasewise::workload
