#include "probe/rates.hpp"

#include <iomanip>
#include <span>

namespace phasewise::probe {
namespace {

void average(const comm::Communicator& world, std::span<double> values) {
  world.sum("probe", values);
  for (double& value : values) value /= world.size();
}

template <class Values>
void write_list(std::ostream& file, const char* name, const Values& values) {
  file << '"' << name << "\": [";
  const char* separator = "";
  for (const auto& value : values) {
    file << separator << value;
    separator = ", ";
  }
  file << ']';
}

}  // namespace

Rates measure_rates(const comm::Communicator& world, comm::Recorder& recorder) {
  Rates rates;
  world.barrier();
  rates.roof = measure_roof(1);
  double roof[2] = {rates.roof.bytes_per_second, rates.roof.flops_per_second};
  average(world, roof);
  rates.roof = {roof[0], roof[1], rates.roof.single_flops_per_second};
  rates.copies = measure_strided_copies();
  average(world, rates.copies.seconds);
  rates.blocks = measure_block_copies();
  average(world, rates.blocks);
  rates.calls = measure_calls(world, recorder, rates.blocks);
  return rates;
}

void write_rates(std::ostream& file, const Rates& rates) {
  file << std::setprecision(9) << "{\"roof\": {\"flops\": " << rates.roof.flops_per_second
       << ", \"bandwidth\": " << rates.roof.bytes_per_second << "}, \"calls\": {";
  write_list(file, "message", rates.calls.message);
  file << ", \"round\": " << rates.calls.round << ", \"collective\": " << rates.calls.collective
       << "}, \"copies\": {";
  write_list(file, "spans", rates.copies.spans);
  file << ", ";
  write_list(file, "seconds", rates.copies.seconds);
  file << ", ";
  write_list(file, "sizes", block_sizes());
  file << ", ";
  write_list(file, "within", rates.blocks);
  file << ", ";
  write_list(file, "across", rates.calls.puts);
  file << "}, \"types\": {";
  write_list(file, "spans", rates.copies.spans);
  file << ", ";
  write_list(file, "seconds", rates.calls.types_word);
  file << ", \"message\": " << rates.calls.types_message << "}, \"streams\": {";
  write_list(file, "sizes", stream_sizes());
  file << ", ";
  write_list(file, "messages", rates.calls.stream_messages);
  file << ", ";
  write_list(file, "puts", rates.calls.stream_puts);
  file << "}}\n";
}

void write_exchanges(std::ostream& file, const Exchanges& exchanges) {
  file << std::setprecision(9) << "{\"exchanges\": {";
  write_list(file, "exchange", exchanges.exchange);
  file << ", ";
  write_list(file, "echo", exchanges.echo);
  file << "}}\n";
}

}  // namespace phasewise::probe
