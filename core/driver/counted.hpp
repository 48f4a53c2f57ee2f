// The listener that counts a rank's messages, without MPI.
#pragma once

#include <cstdint>
#include <string_view>

#include "workload/offline_listener.hpp"

namespace phasewise::driver {

class Counted : public workload::OfflineListener {
 public:
  // For `rank` of the study's `ranks`; a single rank sends nothing for a sum.
  Counted(int ranks, int rank) : alone_(ranks == 1), rank_(rank) {}

  void start(exchange::Channel channel, const Exchanges& exchanges) override;
  void start_collective(const exchange::Collective& collective, const std::byte* from,
                        std::byte* to) override;
  void post(const exchange::PostedMessage& message) override;
  void transpose(const exchange::TransposeExchange& exchange, const exchange::ItemBuffer& from,
                 const exchange::ItemBuffer& to) override;

 protected:
  // The first is called for each message to another rank, the second for each library call with the
  // bytes that it is asked to move.
  virtual void sent(std::string_view phase, int peer, std::int64_t bytes) = 0;
  virtual void asked(std::string_view phase, std::int64_t bytes) = 0;
  // Called with the number of flags, handshakes and fences of each round that has some; those that
  // are empty messages were already reported as sent.
  virtual void synchronised(std::string_view /*phase*/, std::int64_t /*count*/) {}

 private:
  void count_signals(const exchange::Exchange& exchange, const exchange::Round& round);
  void summed(std::string_view phase, std::size_t values,
              const exchange::TeamPointer& team) override;
  bool alone_;
  int rank_;
};

}  // namespace phasewise::driver
