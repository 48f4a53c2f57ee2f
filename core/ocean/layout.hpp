// How the cells of a grid are divided into blocks, and which rank has which block.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace phasewise::ocean {

// Which cells are sea, [ny][nx], with x to the east contiguous.
struct SeaMask {
  int nx = 0, ny = 0;
  bool periodic_x = false, periodic_y = false;
  std::vector<std::uint8_t> sea;  // 0 or 1
};

// cartesian: a rank has neighbouring blocks of the process grid. balanced: strips of blocks with
// equal numbers of sea cells, each cut into parts with equal numbers. curve: parts of a Hilbert
// curve with equal numbers of sea cells.
enum class Distribution : std::uint8_t { cartesian, balanced, curve };

struct LayoutSetting {
  std::array<int, 2> process_grid{0, 0};  // zeros: chosen for the ranks
  std::array<int, 2> blocks{0, 0};        // cells of a block; zeros: chosen for the ranks
  Distribution distribution = Distribution::cartesian;
  // Blocks are cut only between tiles of at most so many cells, which therefore do not depend on
  // the blocks: a preconditioner that works tile by tile is the same in all layouts.
  std::array<int, 2> tile{1, 1};
  bool drop_land = true;  // nobody has a block of land alone
};

struct Block {
  int x = 0, y = 0, nx = 0, ny = 0;  // its first cell, and its size
  int column = 0, row = 0;           // its place among the blocks
  int owner = -1;                    // rank; -1: dropped
  std::int64_t sea = 0;              // cells
};

inline constexpr int ghosts = 2;  // rows around a block

// The first cells of parts of n cells of one width, the widest divisor of n up to `most`; if that
// is far below, the widths differ by one. The last value is n.
std::vector<int> tile_cuts(int n, int most);
// The largest width between such cuts.
int widest_tile(const std::vector<int>& cuts);

class Layout {
 public:
  // Throws std::invalid_argument with one sentence if there are more ranks than blocks.
  Layout(const SeaMask& mask, const LayoutSetting& setting, int ranks);

  int nx() const { return cuts_[0].back(); }
  int ny() const { return cuts_[1].back(); }
  bool periodic_x() const { return periodic_[0]; }
  bool periodic_y() const { return periodic_[1]; }
  int ranks() const { return static_cast<int>(of_rank_.size()); }
  const LayoutSetting& setting() const { return setting_; }
  // Ranks along x and y; rank = x + Px y if the distribution is cartesian.
  std::array<int, 2> process_grid() const { return grid_; }
  // By their numbers, eastwards along each row, from the south.
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<int>& blocks_of(int rank) const { return of_rank_[rank]; }
  // The number of the block so many blocks to the east and the north, or -1: a wall, or dropped.
  int neighbour(int block, int east, int north) const;
  // Sea cells of a rank, and of all ranks.
  std::int64_t sea_of(int rank) const;
  std::int64_t sea() const { return sea_; }
  // The first cells of the tiles along an axis; the last value is the grid's size.
  const std::vector<int>& tiles(int axis) const { return tiles_[axis]; }

 private:
  void choose_grid(int ranks);
  void cut(int axis);
  void make_blocks(const SeaMask& mask);
  void deal(int ranks);
  void deal_cartesian();
  void deal_balanced();
  void deal_along_curve();
  std::vector<int> undropped() const;
  void check_ranks(int ranks) const;

  LayoutSetting setting_;
  std::array<bool, 2> periodic_;
  std::array<int, 2> grid_{1, 1};
  std::array<std::vector<int>, 2> tiles_, cuts_;
  std::vector<Block> blocks_;
  std::vector<std::vector<int>> of_rank_;
  std::int64_t sea_ = 0;
};

}  // namespace phasewise::ocean
