// Work of a device that is given to it once and then begun as a whole, as often as it is wanted: a
// graph of CUDA, or the list of the loops of an emulated device. What the work's kernels were given
// by value stays as it was; what they read in the device's memory may change.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "gpu/platform.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

#if defined(__CUDACC__)

// The queue that gets kernels and transforms: CUDA's default one, or that of a graph in the making.
inline cudaStream_t& queue() {
  static cudaStream_t now = nullptr;
  return now;
}

class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (made_ != nullptr) cudaGraphExecDestroy(made_);
  }
  bool empty() const { return made_ == nullptr; }

  // The kernels and transforms that f queues, which does nothing else on the device. Nothing is
  // done yet.
  template <class F>
  void record(const F& f) {
    const std::int64_t before = operations();
    check(cudaStreamCreateWithFlags(&queue(), cudaStreamNonBlocking));
    const cudaStream_t recorder = queue();
    cudaGraph_t graph = nullptr;
    try {
      check(cudaStreamBeginCapture(recorder, cudaStreamCaptureModeThreadLocal));
      f();
      check(cudaStreamEndCapture(recorder, &graph));
      check(cudaGraphInstantiate(&made_, graph, 0));
    } catch (...) {
      end(recorder, graph);
      throw;
    }
    end(recorder, graph);
    operations() = before;
  }
  void run() const {
    ++operations();
    check(cudaGraphLaunch(made_, queue()));
  }

 private:
  static void end(cudaStream_t recorder, cudaGraph_t graph) {
    queue() = nullptr;
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaStreamDestroy(recorder);
  }

  cudaGraphExec_t made_ = nullptr;
};

#else

using Steps = std::vector<std::function<void()> >;

// The graph in the making; null: what is given to the device is done at once.
inline Steps*& recording() {
  static Steps* into = nullptr;
  return into;
}

template <class F>
void perform(F f) {
  if (Steps* into = recording()) return into->push_back(std::move(f));
  ++operations();
  f();
}

class Graph {
 public:
  bool empty() const { return steps_.empty(); }
  template <class F>
  void record(const F& f) {
    recording() = &steps_;
    try {
      f();
    } catch (...) {
      recording() = nullptr;
      throw;
    }
    recording() = nullptr;
  }
  void run() const {
    ++operations();
    for (const auto& step : steps_) step();
  }

 private:
  Steps steps_;
};

#endif

}  // namespace phasewise::gpu::PHASEWISE_PLATFORM
