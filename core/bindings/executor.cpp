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

namespace nb = nanobind;

namespace phasewise::bindings {
namespace {

using Bytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Loops = std::vector<std::pair<std::int64_t, std::int64_t>>;
// Items, offset, run, and loops of (count, stride).
using BlockTuple = std::tuple<std::vector<int>, std::int64_t, std::int64_t, Loops>;
using TransferTuples = std::vector<std::pair<int, std::vector<int>>>;

void append(comm::Exchange& exchange, const BlockTuple& from) {
  const auto& [items, offset, run, loops] = from;
  auto repeats = std::make_shared<std::vector<comm::Repeat>>();
  for (const auto& [count, stride] : loops) repeats->push_back({count, stride});
  exchange.items.push_back(std::make_shared<std::vector<int>>(items));
  exchange.blocks.push_back({exchange.items.back().get(), {offset, run, repeats}});
}

std::vector<comm::Transfer> transfers(const nb::handle& from) {
  std::vector<comm::Transfer> result;
  for (const auto& [peer, chunks] : nb::cast<TransferTuples>(from))
    result.push_back({peer, chunks});
  return result;
}

comm::ExchangePointer exchange_of(const nb::dict& from) {
  auto exchange = std::make_shared<comm::Exchange>();
  exchange->phase = "exchange";
  exchange->adds = nb::cast<bool>(from["adds"]);
  exchange->team = std::make_shared<comm::Team>(
      comm::Team{nb::cast<std::vector<int>>(from["team"]), nb::cast<int>(from["me"]),
                 nb::cast<std::vector<int>>(from["nodes"])});
  const auto name = nb::cast<std::string>(from["protocol"]);
  const auto known = std::ranges::find(comm::protocol_names, name);
  if (known == comm::protocol_names.end()) throw nb::value_error("no such protocol");
  exchange->protocol = static_cast<comm::Protocol>(known - comm::protocol_names.begin());
  for (const auto& block : nb::cast<std::vector<BlockTuple>>(from["blocks"]))
    append(*exchange, block);
  auto rounds = std::make_shared<comm::Rounds>();
  for (const nb::handle round : from["rounds"])
    rounds->push_back({transfers(round["sends"]), transfers(round["receives"])});
  exchange->rounds = rounds;
  return exchange;
}

comm::ItemBuffer buffer(const Bytes& bytes, std::int64_t item_size) {
  return {bytes.data(), item_size};
}

nb::bytes packed(const std::vector<BlockTuple>& blocks, const Bytes& from, std::int64_t item_size,
                 int threads) {
  comm::Exchange exchange;
  for (const BlockTuple& block : blocks) append(exchange, block);
  comm::Fragments fragments;
  std::int64_t end = 0;
  for (const comm::Block& block : exchange.blocks)
    end = comm::append(fragments, block, item_size, end);
  std::vector<std::byte> message(static_cast<std::size_t>(end));
  comm::pack(fragments, buffer(from, item_size).data, message.data(), threads);
  return nb::bytes(message.data(), message.size());
}

// An executor on all ranks, with a recorder of its own.
class Runner {
 public:
  explicit Runner(std::size_t events)
      : world_(comm::Communicator::world(recorder_)), executor_(world_, recorder_, {}) {
    recorder_.keep_events(events);
  }

  void run(const nb::dict& exchange, const Bytes& from, std::int64_t from_item, const Bytes& to,
           std::int64_t to_item, int times, const std::vector<std::string>& prefixes) {
    const comm::Work work{exchange_of(exchange), buffer(from, from_item), buffer(to, to_item)};
    executor_.prepare({work.exchange});
    comm::Executor::Flight flight;
    for (int i = 0; i < times; ++i) {
      recorder_.set_prefix(prefixes[i % prefixes.size()]);
      flight.start(executor_, [&](comm::Works& works) { works.push_back(work); });
      flight.finish();
    }
  }
  std::string record() const { return recorder_.to_json({.rank = world_.rank()}); }

 private:
  comm::Recorder recorder_;
  comm::Communicator world_;
  comm::Executor executor_;
};

}  // namespace
}  // namespace phasewise::bindings

void bind_executor(nb::module_& m) {
  m.def(
      "unavailable_protocols",
      [] {
        nb::dict found;
        for (int i = 0; i < phasewise::comm::protocols; ++i) {
          const auto protocol = static_cast<phasewise::comm::Protocol>(i);
          if (const std::string why = unavailable(protocol); !why.empty())
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
      .def(nb::init<std::size_t>(), nb::arg("events") = 0)
      .def("run", &Runner::run, nb::arg("exchange"), nb::arg("source"), nb::arg("source_item"),
           nb::arg("target"), nb::arg("target_item"), nb::arg("times") = 1,
           nb::arg("prefixes") = std::vector<std::string>{""},
           "Runs an exchange `times` times, recorded under the prefixes in turn: a dict of team, "
           "me, rounds (as of reduce_rounds), blocks (as of packed), adds, protocol, and nodes of "
           "the team's members.")
      .def("record", &Runner::record, "The record, one line of JSON.");
}
