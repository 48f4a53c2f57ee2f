// Works that are done together on a device (parallel/together.hpp). What each of them asks for is
// kept until all of them wait; then requests of the same kind are joined and done, in an order that
// keeps each member's own order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/copies.hpp"
#include "gpu/launch.hpp"
#include "gpu/stopwatch.hpp"
#include "parallel/together.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

// What one member asks for, and when it was done.
class Asking final : public Member {
 public:
  Asking(void (*const& pause)(), double (*now)()) : pause_(pause), clock_(now) {}

  // The member runs, or stops running; what it computes on the host in between counts as its time
  // too.
  void go_on() { since_ = clock_(); }
  void stop() { host_ += clock_() - since_; }

  void add(std::unique_ptr<Request> request) override { wanted_.push_back({std::move(request)}); }
  void copy_in(void* device, const void* host, std::size_t bytes) override {
    if (bytes == 0) return;
    if (bytes > most_joined) {
      const auto* from = static_cast<const std::byte*>(host);
      return add_alone([device, data = std::vector<std::byte>(from, from + bytes)] {
        direct::copy_in(device, data.data(), data.size());
      });
    }
    add(std::make_unique<CopiesIn>(device, host, bytes));
  }
  void copy_out(void* host, const void* device, std::size_t bytes) override {
    if (bytes == 0) return;
    if (bytes > most_joined) return add_alone([=] { direct::copy_out(host, device, bytes); });
    add(std::make_unique<CopiesOut>(host, device, bytes));
  }
  void zero(void* device, std::size_t bytes) override {
    for_each("clear", words_of(bytes), ZeroWords{static_cast<std::byte*>(device), bytes});
  }
  void wait() override { pause_(); }
  void release(void* data) override {
    if (data != nullptr) released_.push_back(data);
  }
  void mark(std::vector<double>& times) override {
    stop();
    wanted_.push_back({nullptr, &times, std::exchange(host_, 0.0)});
    go_on();
  }

  // Returns the first request, or null if there is none. Marks before it get the time reached so
  // far.
  Request* first() {
    for (; !wanted_.empty() && !wanted_.front().request; wanted_.pop_front())
      done_.push_back({.times = wanted_.front().times, .host = wanted_.front().host});
    return wanted_.empty() ? nullptr : wanted_.front().request.get();
  }
  std::size_t left() const { return wanted_.size(); }
  // Takes the first request, which the launch of this number does alone or with others.
  std::unique_ptr<Request> take(int launch, double size) {
    done_.push_back({.launch = launch, .size = size});
    std::unique_ptr<Request> request = std::move(wanted_.front().request);
    wanted_.pop_front();
    return request;
  }

  // Called after the launches: ends[k] is the end of the k-th one, and sizes[k] the size of its
  // requests.
  void finish(double begin, const std::vector<double>& ends, const std::vector<double>& sizes) {
    if (now_ == 0.0) now_ = begin;
    for (const Done& one : done_) {
      now_ += one.times != nullptr ? one.host : share_of(one, begin, ends, sizes);
      if (one.times != nullptr) one.times->push_back(now_);
    }
    forget();
  }
  void forget() {
    wanted_.clear();
    done_.clear();
    for (void* data : std::exchange(released_, {})) direct::release(data);
  }

 private:
  // Larger copies are made on their own, and need no extra memory of the device.
  static constexpr std::size_t most_joined = 64 << 10;  // B

  struct Wanted {
    std::unique_ptr<Request> request;      // null: a mark
    std::vector<double>* times = nullptr;  // where the mark's time goes
    double host = 0.0;                     // s of the host's work since the preceding mark
  };
  struct Done {
    std::vector<double>* times = nullptr;  // where a mark's time goes; null: a launch
    double host = 0.0;                     // as in Wanted
    int launch = 0;
    double size = 0.0;
  };

  // The seconds of a launch are divided among its members in proportion to the sizes of their
  // requests.
  static double share_of(const Done& one, double begin, const std::vector<double>& ends,
                         const std::vector<double>& sizes) {
    const double start = one.launch == 0 ? begin : ends[one.launch - 1];
    return (ends[one.launch] - start) * one.size / sizes[one.launch];
  }

  void (*const& pause_)();
  double (*clock_)();
  double since_ = 0.0;  // when the member last went on or made a mark
  double host_ = 0.0;   // s of the host's work from the last mark to the last pause
  std::deque<Wanted> wanted_;
  std::vector<Done> done_;
  std::vector<void*> released_;
  double now_ = 0.0;  // 0 if nothing was done yet
};

class TogetherOnDevice final : public parallel::Together {
 public:
  explicit TogetherOnDevice(double (*now)()) : clock_(now), stopwatch_(now) {}

  void begin(int index, int count) override {
    while (std::ssize(members_) < count)
      members_.push_back(std::make_unique<Asking>(pause_, clock_));
    running_ = members_[index].get();
    member() = running_;
    running_->go_on();
  }
  void end() override {
    running_->stop();
    member() = nullptr;
  }
  void set_pause(void (*pause)()) override { pause_ = pause; }
  void forget() override {
    stopwatch_.forget();
    for (const auto& one : members_) one->forget();
  }

  void do_queued() override {
    std::vector<double> sizes;
    const std::vector<std::unique_ptr<Request>> todo = joined(sizes);
    give(todo);
    stopwatch_.mark();
    for (std::size_t k = 0; k < todo.size(); ++k) {
      todo[k]->run(given_.data() + places_[k]);
      stopwatch_.mark();
    }
    for (std::size_t k = 0; k < todo.size(); ++k) todo[k]->fetch(given_.data() + places_[k]);
    std::vector<double> ends = stopwatch_.read();
    for (const auto& request : todo) request->deliver();
    const double begin = ends.front();
    ends.erase(ends.begin());
    for (const auto& one : members_) one->finish(begin, ends, sizes);
  }

 private:
  // Joins the first requests of all members that are of the same kind, beginning with the first
  // request of the member that has the most left.
  std::vector<std::unique_ptr<Request>> joined(std::vector<double>& sizes) {
    std::vector<std::unique_ptr<Request>> todo;
    for (;;) {
      Asking* longest = nullptr;
      for (const auto& one : members_)
        if (one->first() != nullptr && (longest == nullptr || one->left() > longest->left()))
          longest = one.get();
      if (longest == nullptr) return todo;
      const int number = static_cast<int>(todo.size());
      const void* kind = longest->first()->kind();
      double size = longest->first()->size();
      std::unique_ptr<Request> whole = longest->take(number, size);
      for (const auto& one : members_) {
        const Request* other = one.get() == longest ? nullptr : one->first();
        if (kind == nullptr || other == nullptr || other->kind() != kind) continue;
        const double more = other->size();
        size += more;
        whole->join(*one->take(number, more));
      }
      todo.push_back(std::move(whole));
      sizes.push_back(size);
    }
  }
  // Copies to the device, in one copy, what the requests need there.
  void give(const std::vector<std::unique_ptr<Request>>& todo) {
    constexpr std::size_t line = 256;
    places_.clear();
    std::size_t bytes = 0;
    for (const auto& request : todo) {
      places_.push_back(bytes);
      bytes += (request->bytes() + line - 1) / line * line;
    }
    given_.reserve(static_cast<std::int64_t>(bytes));
    to_give_.resize(bytes);
    for (std::size_t k = 0; k < todo.size(); ++k)
      todo[k]->write(to_give_.data() + places_[k], given_.data() + places_[k]);
    copy_in(given_.data(), to_give_.data(), bytes);
  }

  double (*clock_)();
  void (*pause_)() = nullptr;
  std::vector<std::unique_ptr<Asking>> members_;
  Asking* running_ = nullptr;
  std::vector<std::size_t> places_;
  std::vector<std::byte> to_give_;
  Array<std::byte> given_;
  QueueStopwatch stopwatch_;
};

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM
