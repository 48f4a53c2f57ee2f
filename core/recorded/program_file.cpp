#include "recorded/program_file.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "exchange/collective.hpp"

namespace phasewise::recorded {
namespace {

constexpr std::int64_t version = 4;
constexpr std::int64_t last_kind =
    Act::first_collective + static_cast<std::int64_t>(exchange::CollectiveKind::scatter_blocks);
constexpr std::int64_t most = std::int64_t{1} << 40;

// Reads whole numbers of 8 bytes, each after the one before.
class Reader {
 public:
  Reader(const std::string& path, std::int64_t place) : file_(path, std::ios::binary) {
    file_.seekg(0, std::ios::end);
    left_ = static_cast<std::int64_t>(file_.tellg()) - place;
    file_.seekg(place);
  }
  bool good() const { return file_.good() && left_ >= 0; }
  std::int64_t number() {
    std::int64_t value = 0;
    bytes(&value, sizeof value);
    return value;
  }
  // The number of elements of this size that follow; they are all there.
  std::size_t count(std::int64_t size) {
    const std::int64_t value = number();
    if (value < 0 || value > left_ / size) left_ = -1;
    return good() ? static_cast<std::size_t>(value) : 0;
  }
  template <class Value>
  std::vector<Value> values() {
    std::vector<Value> found(count(sizeof(Value)));
    bytes(found.data(), found.size() * sizeof(Value));
    return found;
  }

 private:
  void bytes(void* to, std::size_t size) {
    left_ -= static_cast<std::int64_t>(size);
    if (left_ >= 0) file_.read(static_cast<char*>(to), static_cast<std::streamsize>(size));
  }
  std::ifstream file_;
  std::int64_t left_ = 0;
};

bool within(std::int64_t value, std::int64_t least, std::int64_t end) {
  return least <= value && value < end;
}

}  // namespace

ProgramFile::ProgramFile(std::string path) : path_(std::move(path)) {
  Reader file(path_, 0);
  if (!file.good()) fail("it cannot be read");
  if (file.number() != version) fail("it is of another version: remove it");
  for (std::size_t left = file.count(8); left > 0; --left) {
    const auto text = file.values<char>();
    phases_.emplace_back(text.begin(), text.end());
  }
  for (std::size_t left = file.count(8); left > 0; --left) {
    const auto members = file.values<std::int32_t>();
    teams_.emplace_back(members.begin(), members.end());
  }
  places_ = file.values<std::int64_t>();
  if (!file.good() || places_.empty()) fail("it is cut off");
  for (const std::vector<int>& team : teams_)
    for (const int member : team)
      if (!within(member, 0, ranks())) fail("it names a rank that is not there");
}

RankActs ProgramFile::acts_of(int rank) const {
  Reader file(path_, places_[static_cast<std::size_t>(rank)]);
  RankActs found;
  found.rows = file.values<Act>();
  for (std::size_t left = file.count(8); left > 0; --left)
    found.lists.push_back(file.values<std::int64_t>());
  found.row_of = file.values<std::int32_t>();
  found.gaps = file.values<std::int64_t>();
  if (!file.good()) fail("it is cut off");
  check(found);
  return found;
}

void ProgramFile::check(const RankActs& acts) const {
  const auto lists = static_cast<std::int64_t>(acts.lists.size());
  for (const Act& act : acts.rows) {
    const bool known =
        within(act.kind, 0, last_kind + 1) && within(act.phase, 0, std::ssize(phases_)) &&
        within(act.peer, 0, ranks()) && within(act.bytes, 0, most) && within(act.tag, 0, 1 << 20) &&
        within(act.request, exchange::never_awaited, 1 << 20) && within(act.list, -1, lists) &&
        within(act.second_list, -1, lists) && within(act.team, -1, std::ssize(teams_));
    const bool whole =
        act.kind < Act::wait || (act.list >= 0 && (act.kind == Act::wait || act.team >= 0));
    if (!known || !whole) fail("an act in it makes no sense");
    if (act.kind >= Act::first_collective && !fits(acts, act))
      fail("a collective in it is not as its members need it");
  }
  const bool same = acts.row_of.size() == acts.gaps.size();
  if (!same || std::ranges::any_of(acts.row_of, [&](std::int32_t row) {
        return !within(row, 0, std::ssize(acts.rows));
      }))
    fail("an act in it is not among its rows");
}

// Whether a collective is waited for, and has a root and as many sizes as its kind and its members
// ask for.
bool ProgramFile::fits(const RankActs& acts, const Act& act) const {
  using exchange::CollectiveKind;
  const std::size_t members = teams_[act.team].size(), given = acts.lists[act.list].size();
  const bool rooted = act.peer < static_cast<std::int64_t>(members);
  if (act.request == exchange::never_awaited) return false;  // other members would wait for ever
  switch (static_cast<CollectiveKind>(act.kind - Act::first_collective)) {
    case CollectiveKind::barrier:
      return rooted;
    case CollectiveKind::broadcast:
    case CollectiveKind::sum:
    case CollectiveKind::reduce:
    case CollectiveKind::scan:
    case CollectiveKind::exclusive_scan:
      return rooted && given == 1;
    case CollectiveKind::all_to_all:
      return given == members && act.second_list >= 0 &&
             acts.lists[act.second_list].size() == members;
    default:
      return rooted && given == members;
  }
}

void ProgramFile::fail(const std::string& why) const {
  throw std::invalid_argument("the program in " + path_ + " cannot be replayed: " + why);
}

}  // namespace phasewise::recorded
