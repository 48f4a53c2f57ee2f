// The listener that writes down a rank's messages as a program: rounds and how they follow each
// other, for the models that follow them through a network.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "contention/collectives.hpp"
#include "contention/program.hpp"
#include "driver/offline_listener.hpp"

namespace phasewise::driver {

class Followed : public OfflineListener {
 public:
  // in_full: writes down every repetition of an exchange; otherwise the first few, the last of
  // which stands for the others. like: a program of about the same length, or null. `phases`
  // collects the names to which a round's phase number refers.
  Followed(int ranks, int rank, bool in_full, const contention::RankProgram* like,
           std::vector<std::string>& phases);

  // How many rounds of its kind each following round stands for.
  void set_weight(double weight) { weight_ = weight; }
  contention::RankProgram take() { return std::move(program_); }

  void start(comm::Channel channel, const Exchanges& exchanges) override;
  void progress(comm::Channel channel) override;
  void finish(comm::Channel channel) override;
  void transpose(const comm::TransposeExchange& exchange, const comm::ItemBuffer& from,
                 const comm::ItemBuffer& to) override;

 private:
  void summed(std::string_view phase, std::size_t values) override;
  void add(const comm::Exchange& exchange, double weight);
  void add_library(const comm::Exchange& exchange, double weight);
  void add_transpose(const comm::TransposeExchange& exchange);
  void add_collective(std::string_view name, comm::Channel channel, const std::vector<int>& ranks,
                      const contention::CollectiveRounds& rounds, double weight);
  void begin_round(std::string_view name, comm::Channel channel, double weight);
  void send(int to, std::int64_t bytes) { program_.sends.push_back({to, bytes}); }
  void receive(int from) { program_.receives.push_back({from}); }
  void end_round();
  int phase(std::string_view name);
  int repeated(std::size_t times) const;
  double share_of(int number, int times) const;
  void begin(comm::Channel channel);
  void end(comm::Channel channel);
  void act(contention::Action action, comm::Channel channel);

  int rank_;
  bool in_full_;
  std::vector<std::string>& phases_;
  std::vector<int> everyone_;
  double weight_ = 1.0;
  contention::RankProgram program_;
  contention::ProgramRound round_{};           // that is being written
  std::array<int, comm::channels> under_way_;  // sequence of rounds in each channel, -1: none
  int first_ = 0;
};

}  // namespace phasewise::driver
