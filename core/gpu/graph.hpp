// Work of a device that is recorded once and then started as a whole, as often as needed: a graph
// of CUDA, or the list of the loops of an emulated device. Values that the work's kernels were
// given stay as they were; what the kernels read in the device's memory may change.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "gpu/platform.hpp"

namespace phasewise::gpu::PHASEWISE_PLATFORM {

#if defined(__CUDACC__)

// The queue that receives kernels and transforms: CUDA's default one, or that of a graph being
// recorded.
inline cudaStream_t& queue() {
  static cudaStream_t now = nullptr;
  return now;
}

// A queue that only records graphs; plans of transforms may refer to it until the end.
inline cudaStream_t recorder() {
  static const cudaStream_t one = [] {
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
    return made;
  }();
  return one;
}

class Graph {
 public:
  // `name` stands for its kernels in the sentence of an error.
  explicit Graph(const char* name) : name_(name) {}
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() {
    if (made_ != nullptr) cudaGraphExecDestroy(made_);
  }
  bool empty() const { return made_ == nullptr; }

  // Records the kernels and transforms that f queues; f does nothing else on the device. Nothing
  // runs yet.
  template <class F>
  void record(const F& f) {
    const std::int64_t before = operations();
    cudaGraph_t graph = nullptr;
    queue() = recorder();
    try {
      check(cudaStreamBeginCapture(recorder(), cudaStreamCaptureModeThreadLocal));
      f();
    } catch (...) {
      if (end(before, graph) == cudaSuccess) cudaGraphDestroy(graph);
      throw;
    }
    check(end(before, graph));
    const cudaError_t status = cudaGraphInstantiate(&made_, graph, 0);
    cudaGraphDestroy(graph);
    check(status);
  }
  void run() const {
    ++operations();
    last_kernel() = name_;
    check(cudaGraphLaunch(made_, queue()));
  }

 private:
  // Ends the recording, and directs work to the default queue again.
  static cudaError_t end(std::int64_t operations_before, cudaGraph_t& graph) {
    queue() = nullptr;
    operations() = operations_before;
    const cudaError_t status = cudaStreamEndCapture(recorder(), &graph);
    if (status != cudaSuccess) cudaGetLastError();  // so that it is not reported again
    return status;
  }

  const char* name_;
  cudaGraphExec_t made_ = nullptr;
};

#else

using Steps = std::vector<std::function<void()> >;

// The graph being recorded; if it is null, the device does what it is given at once.
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
  explicit Graph(const char* /*name*/) {}
  bool empty() const { return steps_.empty(); }
  template <class F>
  void record(const F& f) {
    Steps steps;
    recording() = &steps;
    try {
      f();
    } catch (...) {
      recording() = nullptr;
      throw;
    }
    recording() = nullptr;
    steps_ = std::move(steps);
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
