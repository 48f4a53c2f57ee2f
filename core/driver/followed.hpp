// The listener that writes down a rank's turn as a program: rounds of messages, their order, and
// the work in between.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contention/collectives.hpp"
#include "contention/program.hpp"
#include "driver/program.hpp"
#include "exchange/packing.hpp"
#include "workload/offline_listener.hpp"

namespace phasewise::driver {

class Followed : public workload::OfflineListener {
 public:
  // `phases` collects the names that the phase numbers of rounds refer to.
  Followed(int ranks, int rank, const ProgramOptions& options, std::vector<std::string>& phases);

  // Sets the part of the turn to which the following calls belong, and how many rounds of its kind
  // each round stands for.
  void at(int part, double weight) {
    part_ = part;
    weight_ = weight;
  }
  // How often a piece inside of another is counted, by name; by default not at all.
  void count_inside(workload::PieceCounts weights) { inside_ = std::move(weights); }
  contention::RankProgram take();

  void kernel(const parallel::KernelCard& card, double items,
              const std::function<void()>& work) override;

  void start(exchange::Channel channel, const Exchanges& exchanges) override;
  void start_collective(const exchange::Collective& collective, const std::byte* from,
                        std::byte* to) override;
  void compute(std::string_view name, double seconds) override;
  void post(const exchange::PostedMessage& message) override;
  void wait(std::string_view phase, std::span<const int> requests) override;
  void progress(exchange::Channel channel) override;
  void finish(exchange::Channel channel) override;
  void if_needed(std::string_view piece, const std::function<void()>& actions) override;
  void transpose(const exchange::TransposeExchange& exchange, const exchange::ItemBuffer& from,
                 const exchange::ItemBuffer& to) override;

 private:
  friend class RoundWriter;
  void summed(std::string_view phase, std::size_t values,
              const exchange::TeamPointer& team) override;
  struct Copied {
    double packing = 0.0, storing = 0.0;  // s
  };
  void add(const exchange::Work& work, double weight);
  Copied copied(const exchange::Work& work, const exchange::Round& round) const;
  double by_types(std::span<const exchange::Fragment> fragments) const;
  double seconds_of(std::span<const exchange::Fragment> fragments, std::int64_t traffic) const;
  double beyond(const exchange::Exchange& exchange, const exchange::Transfer& t,
                bool further) const;
  void add_library(const exchange::Exchange& exchange, double weight);
  void add_transpose(const exchange::TransposeExchange& exchange);
  void add_collective(std::string_view name, exchange::Channel channel,
                      const std::vector<int>& ranks, const contention::CollectiveRounds& rounds,
                      double weight, bool blocking = true);
  double call_in_library() const;
  contention::CollectiveRounds library_sum(int p, int me, std::int64_t bytes) const;
  double round_seconds(const exchange::Exchange& exchange, const exchange::Round& round) const;
  void add_round(const exchange::Work& work, const exchange::Round& round, double weight);
  bool in_full() const { return options_.max_series == 0; }
  // The calls that post a round's messages; all but `at_once` and `by_library_at_once` block.
  enum class Posting { at_once, in_pairs, by_library, by_library_at_once };
  void begin_round(std::string_view name, exchange::Channel channel, Posting posting,
                   double weight);
  void send(int to, std::int64_t bytes) { program_.sends.push_back({to, bytes}); }
  void receive(int from) { program_.receives.push_back({from}); }
  void end_round(bool waits = false);
  int phase(std::string_view name);
  int repeated(std::size_t times) const;
  double share_of(int number, int times) const;
  void add_computing(double seconds);
  void begin(exchange::Channel channel);
  void end(exchange::Channel channel);
  // Ends the rounds that were written since `first_`; the number of their sequence.
  int end_sequence(std::int32_t tag = 0);
  void act(contention::Action action, exchange::Channel channel);
  // What a rank posts by itself, and the collectives that have requests.
  int written_round(const exchange::PostedMessage& message);
  int free_channel(int request);
  int written_wait(std::string_view phase, const std::vector<int>& requests);
  // A message that was posted by itself, and the number of its sequence.
  struct Post {
    bool receives = false;
    int peer = 0;
    int sequence = 0;
  };
  bool receives_from(const Post& post) const;
  // Lets a message take the time of one that meets another on its way.
  void let_cross(const Post& post);

  int rank_;
  const ProgramOptions& options_;
  std::vector<std::string>& phases_;
  std::vector<int> everyone_;
  int part_ = 0;
  double weight_ = 1.0;
  workload::PieceCounts inside_;
  contention::RankProgram program_;
  contention::ProgramRound round_{};               // the round being written
  std::array<int, exchange::channels> under_way_;  // sequence of rounds in each channel, -1: none
  int first_ = 0;
  std::vector<int> distinct_;  // the sequences that repeat no other
  // Rounds and waits by what they do, so that those that are alike are written once.
  std::map<std::array<std::int64_t, 4>, int> rounds_of_posts_;
  std::map<std::vector<int>, int> known_waits_;
  std::map<int, int> crossing_rounds_;  // of such rounds, by that of the message alone
  std::vector<Post> posts_;             // by request
  std::vector<int> receiving_;          // receives that were posted and not awaited, by peer
  std::vector<int> by_channel_;  // the request of the collective on each further channel, or -1
};

}  // namespace phasewise::driver
