// The listener that counts a rank's messages, without MPI.
#pragma once

#include <cstdint>
#include <string_view>

#include "workload/listener.hpp"

namespace phasewise::driver {

class Counted : public workload::Listener {
 public:
  // ranks: of the study; a single rank sends nothing for a sum.
  explicit Counted(int ranks) : alone_(ranks == 1) {}

  void kernel(const parallel::KernelCard& /*card*/, double /*items*/,
              const std::function<void()>& /*work*/) override {}
  void sum(std::string_view phase, std::span<double> values) override;
  void sum(std::string_view phase, std::span<std::int64_t> values) override;
  void max(std::string_view phase, std::span<double> values) override;
  void start(comm::Channel channel, const Exchanges& exchanges) override;
  void progress(comm::Channel /*channel*/) override {}
  void finish(comm::Channel /*channel*/) override {}
  void transpose(const comm::TransposeExchange& exchange, const comm::ItemBuffer& from,
                 const comm::ItemBuffer& to) override;

 protected:
  // Called for each message to another rank, and for each library call with the volume requested of
  // it.
  virtual void sent(std::string_view phase, int peer, std::int64_t bytes) = 0;
  virtual void asked(std::string_view phase, std::int64_t bytes) = 0;

 private:
  void summed(std::string_view phase, std::size_t values);
  bool alone_;
};

}  // namespace phasewise::driver
