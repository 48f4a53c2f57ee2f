// Bindings that run exchanges: packing, and exchanges that Python lays out.
#include "comm/executor.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/named.hpp"
#include "bindings/queued_memory.hpp"
#include "exchange/transpose_parts.hpp"

namespace nb = nanobind;

namespace phasewise::bindings {
namespace {

using Bytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Loops = std::vector<std::pair<std::int64_t, std::int64_t>>;
// The items, offset and run of a block, and its loops as (count, stride).
using BlockTuple = std::tuple<std::vector<int>, std::int64_t, std::int64_t, Loops>;
using TransferTuples = std::vector<std::pair<int, std::vector<int>>>;

void append(exchange::Exchange& exchange, const BlockTuple& from) {
  const auto& [items, offset, run, loops] = from;
  auto repeats = std::make_shared<std::vector<exchange::Repeat>>();
  for (const auto& [count, stride] : loops) repeats->push_back({count, stride});
  exchange.items.push_back(std::make_shared<std::vector<int>>(items));
  exchange.blocks.push_back({exchange.items.back().get(), {offset, run, repeats}});
}

std::vector<exchange::Transfer> transfers(const nb::handle& from) {
  std::vector<exchange::Transfer> result;
  for (const auto& [peer, chunks] : nb::cast<TransferTuples>(from))
    result.push_back({peer, chunks});
  return result;
}

exchange::ExchangePointer exchange_of(const nb::dict& from) {
  auto exchange = std::make_shared<exchange::Exchange>();
  exchange->phase = "exchange";
  exchange->adds = nb::cast<bool>(from["adds"]);
  exchange->team = std::make_shared<exchange::Team>(
      exchange::Team{nb::cast<std::vector<int>>(from["team"]), nb::cast<int>(from["me"]),
                     nb::cast<std::vector<int>>(from["nodes"])});
  const auto name = nb::cast<std::string>(from["protocol"]);
  const auto known = std::ranges::find(exchange::protocol_names, name);
  if (known == exchange::protocol_names.end()) throw nb::value_error("no such protocol");
  exchange->protocol = static_cast<exchange::Protocol>(known - exchange::protocol_names.begin());
  for (const auto& block : nb::cast<std::vector<BlockTuple>>(from["blocks"]))
    append(*exchange, block);
  if (from.contains("form")) {
    using enum exchange::LibraryForm;
    exchange->form = named<exchange::LibraryForm>(
        "form", nb::cast<std::string>(from["form"]),
        {{"scattered", scattered}, {"gathered", gathered}, {"all-reduced", all_reduced}});
    return exchange;
  }
  auto rounds = std::make_shared<exchange::Rounds>();
  for (const nb::handle round : from["rounds"])
    rounds->push_back({transfers(round["sends"]), transfers(round["receives"])});
  exchange->rounds = rounds;
  return exchange;
}

// The transpose of grids of doubles that all ranks share, [rows][columns] to [columns][rows].
exchange::TransposeExchange transpose_of(const exchange::TeamPointer& team, const std::string& name,
                                         int grids, int rows, int columns) {
  using enum exchange::Transpose;
  const auto algorithm = named<exchange::Transpose>(
      "transpose", name,
      {{"pairwise", pairwise}, {"ring", ring}, {"bruck", bruck}, {"alltoallw", alltoallw}});
  const int members = static_cast<int>(team->ranks.size());
  exchange::TransposeParts parts = exchange::transpose_parts(
      {.rows = rows, .columns = columns, .row_stride = columns, .column_stride = rows, .value = 8},
      members, team->me);
  exchange::RoundsPointer rounds;
  if (algorithm != alltoallw)
    rounds = std::make_shared<exchange::Rounds>(
        exchange::transpose_rounds(algorithm, team->me, members));
  return {.phase = "exchange",
          .team = team,
          .algorithm = algorithm,
          .rounds = std::move(rounds),
          .grids = grids,
          .block = parts.block,
          .from = std::move(parts.in_rows),
          .to = std::move(parts.in_columns)};
}

exchange::ItemBuffer buffer(const Bytes& bytes, std::int64_t item_size) {
  return {bytes.data(), item_size};
}

nb::bytes packed(const std::vector<BlockTuple>& blocks, const Bytes& from, std::int64_t item_size,
                 int threads) {
  exchange::Exchange exchange;
  for (const BlockTuple& block : blocks) append(exchange, block);
  exchange::Fragments fragments;
  std::int64_t end = 0;
  for (const exchange::Block& block : exchange.blocks)
    end = exchange::append(fragments, block, item_size, end);
  std::vector<std::byte> message(static_cast<std::size_t>(end));
  exchange::Copies copies;
  exchange::append_packing(copies, fragments, buffer(from, item_size).data, message.data());
  exchange::run(copies, threads);
  return nb::bytes(message.data(), message.size());
}

// An executor on all ranks, with a recorder of its own.
class Runner {
 public:
  Runner(std::size_t events, bool on_device)
      : world_(comm::Communicator::world(recorder_)),
        all_(phasewise::exchange::team_of_all(world_.size(), world_.rank())),
        executor_(world_, recorder_, {{all_, 0}}) {
    recorder_.keep_events(events);
    if (!on_device) return;
    device_ = std::make_shared<QueuedMemory>();
    executor_.use_device(device_);
  }

  void run(const nb::dict& exchange, const Bytes& from, std::int64_t from_item, const Bytes& to,
           std::int64_t to_item, int times, const std::vector<std::string>& prefixes) {
    exchange::Work work{exchange_of(exchange), buffer(from, from_item), buffer(to, to_item)};
    work.from.on_device = work.to.on_device = device_ != nullptr;
    executor_.prepare({work.exchange});
    comm::Executor::Flight flight;
    for (int i = 0; i < times; ++i) {
      recorder_.set_prefix(prefixes[i % prefixes.size()]);
      flight.start(executor_, [&](exchange::Works& works) { works.push_back(work); });
      flight.finish();
    }
    if (device_ != nullptr) device_->wait();
  }
  void transpose(const std::string& algorithm, int grids, int rows, int columns, const Bytes& from,
                 const Bytes& to) {
    const auto exchange = transpose_of(all_, algorithm, grids, rows, columns);
    exchange::ItemBuffer in_rows = buffer(from, static_cast<std::int64_t>(from.size()) / grids),
                         in_columns = buffer(to, static_cast<std::int64_t>(to.size()) / grids);
    in_rows.on_device = in_columns.on_device = device_ != nullptr;
    executor_.transpose(exchange, in_rows, in_columns);
    if (device_ != nullptr) device_->wait();
  }
  std::string record() const { return recorder_.to_json({.rank = world_.rank()}); }

 private:
  comm::Recorder recorder_;
  comm::Communicator world_;
  exchange::TeamPointer all_;
  std::shared_ptr<QueuedMemory> device_;  // null: buffers are the host's
  comm::Executor executor_;
};

}  // namespace
}  // namespace phasewise::bindings

void bind_executor(nb::module_& m) {
  m.def("takes_gpu_memory", &phasewise::comm::library_takes_gpu_memory,
        "Whether the MPI library says that it sends from a GPU's memory.");
  m.def(
      "unavailable_protocols",
      [] {
        nb::dict found;
        for (int i = 0; i < phasewise::exchange::protocols; ++i) {
          const auto protocol = static_cast<phasewise::exchange::Protocol>(i);
          if (const std::string why = phasewise::comm::unavailable(protocol); !why.empty())
            found[std::string(name_of(protocol)).c_str()] = why;
        }
        return found;
      },
      "The protocols that this build lacks, each with a sentence that says why.");
  using phasewise::bindings::Runner;
  m.def("packed", &phasewise::bindings::packed, nb::arg("blocks"), nb::arg("buffer"),
        nb::arg("item_size"), nb::arg("threads") = 1,
        "The message of these blocks of a buffer of bytes: tuples of items, offset, run [B] and "
        "nested loops of (count, stride [B]).");
  nb::class_<Runner>(m, "Executor", "Runs exchanges between all ranks. Collective.")
      .def(nb::init<std::size_t, bool>(), nb::arg("events") = 0, nb::arg("on_device") = false,
           "on_device: buffers count as those of a device, whose work is done when it is waited "
           "for, and not before.")
      .def("run", &Runner::run, nb::arg("exchange"), nb::arg("source"), nb::arg("source_item"),
           nb::arg("target"), nb::arg("target_item"), nb::arg("times") = 1,
           nb::arg("prefixes") = std::vector<std::string>{""},
           "Runs an exchange `times` times, recorded under the prefixes in turn: a dict of team, "
           "me, rounds (as of reduce_rounds), blocks (as of packed), adds, protocol, and nodes of "
           "the team's members; or form (scattered, gathered, all-reduced) for a call of the "
           "library among all ranks.")
      .def("transpose", &Runner::transpose, nb::arg("algorithm"), nb::arg("grids"), nb::arg("rows"),
           nb::arg("columns"), nb::arg("source"), nb::arg("target"),
           "Transposes grids of doubles, whose rows the ranks share before and whose columns they "
           "share after.")
      .def("record", &Runner::record, "The record, one line of JSON.");
}
