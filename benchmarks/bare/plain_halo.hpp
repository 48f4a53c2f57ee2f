// Wallcraft's HALO as a plain MPI program writes it: loops copy the edges of an array, four
// messages go to the neighbours in a periodic grid, and loops copy what comes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace phasewise::benchmarks {

class PlainHalo {
 public:
  // protocol: irecv-isend, sendrecv or persistent.
  PlainHalo(int px, int py, std::int64_t cells, int rows, const std::string& protocol)
      : n_(cells), h_(rows), width_(cells + 2 * rows) {
    array_.reset(static_cast<double*>(std::calloc(width_ * width_, sizeof(double))));
    if (array_ == nullptr) throw std::bad_alloc();
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int x = rank % px, y = rank / px;
    before_[0] = y * px + (x + px - 1) % px;
    behind_[0] = y * px + (x + 1) % px;
    before_[1] = ((y + py - 1) % py) * px + x;
    behind_[1] = ((y + 1) % py) * px + x;
    me_ = rank;
    for (auto& buffer : out_) buffer.resize(n_ * h_);
    for (auto& buffer : in_) buffer.resize(n_ * h_);
    if (protocol == "sendrecv")
      kind_ = Kind::sendrecv;
    else if (protocol == "persistent")
      kind_ = Kind::persistent;
    else if (protocol != "irecv-isend")
      throw std::invalid_argument("there is no bare halo by " + protocol);
    if (kind_ == Kind::persistent)
      for (int axis = 0; axis < 2; ++axis) init(axis);
  }
  PlainHalo(const PlainHalo&) = delete;
  PlainHalo& operator=(const PlainHalo&) = delete;
  ~PlainHalo() {
    for (auto& axis : requests_)
      for (MPI_Request& request : axis)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }

  void exchange() {
    along_x();
    along_y();
  }

 private:
  enum class Kind { irecv_isend, sendrecv, persistent };
  struct Free {
    void operator()(double* memory) const { std::free(memory); }
  };

  double& at(std::int64_t row, std::int64_t column) { return array_.get()[row * width_ + column]; }

  void along_x() {
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t k = 0; k < h_; ++k) {
        out_[0][i * h_ + k] = at(h_ + i, h_ + k);
        out_[1][i * h_ + k] = at(h_ + i, n_ + k);
      }
    send(0);
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t k = 0; k < h_; ++k) {
        at(h_ + i, n_ + h_ + k) = in_[0][i * h_ + k];
        at(h_ + i, k) = in_[1][i * h_ + k];
      }
  }

  void along_y() {
    for (std::int64_t k = 0; k < h_; ++k)
      for (std::int64_t i = 0; i < n_; ++i) {
        out_[0][k * n_ + i] = at(h_ + k, h_ + i);
        out_[1][k * n_ + i] = at(n_ + k, h_ + i);
      }
    send(1);
    for (std::int64_t k = 0; k < h_; ++k)
      for (std::int64_t i = 0; i < n_; ++i) {
        at(n_ + h_ + k, h_ + i) = in_[0][k * n_ + i];
        at(k, h_ + i) = in_[1][k * n_ + i];
      }
  }

  // The first message goes to the neighbour before, and comes from the one behind.
  void send(int axis) {
    const int count = static_cast<int>(n_ * h_), before = before_[axis], behind = behind_[axis];
    if (before == me_) {
      in_[0] = out_[0];
      in_[1] = out_[1];
      return;
    }
    const MPI_Comm comm = MPI_COMM_WORLD;
    if (kind_ == Kind::sendrecv) {
      MPI_Sendrecv(out_[0].data(), count, MPI_DOUBLE, before, 0, in_[0].data(), count, MPI_DOUBLE,
                   behind, 0, comm, MPI_STATUS_IGNORE);
      MPI_Sendrecv(out_[1].data(), count, MPI_DOUBLE, behind, 1, in_[1].data(), count, MPI_DOUBLE,
                   before, 1, comm, MPI_STATUS_IGNORE);
    } else if (kind_ == Kind::persistent) {
      MPI_Startall(4, requests_[axis]);
      MPI_Waitall(4, requests_[axis], MPI_STATUSES_IGNORE);
    } else {
      MPI_Request requests[4];
      MPI_Irecv(in_[0].data(), count, MPI_DOUBLE, behind, 0, comm, &requests[0]);
      MPI_Irecv(in_[1].data(), count, MPI_DOUBLE, before, 1, comm, &requests[1]);
      MPI_Isend(out_[0].data(), count, MPI_DOUBLE, before, 0, comm, &requests[2]);
      MPI_Isend(out_[1].data(), count, MPI_DOUBLE, behind, 1, comm, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
  }

  void init(int axis) {
    const int count = static_cast<int>(n_ * h_), before = before_[axis], behind = behind_[axis];
    if (before == me_) return;
    MPI_Request* requests = requests_[axis];
    const MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Recv_init(in_[0].data(), count, MPI_DOUBLE, behind, 0, comm, &requests[0]);
    MPI_Recv_init(in_[1].data(), count, MPI_DOUBLE, before, 1, comm, &requests[1]);
    MPI_Send_init(out_[0].data(), count, MPI_DOUBLE, before, 0, comm, &requests[2]);
    MPI_Send_init(out_[1].data(), count, MPI_DOUBLE, behind, 1, comm, &requests[3]);
  }

  std::int64_t n_, h_, width_;
  int me_ = 0, before_[2], behind_[2];  // ranks
  Kind kind_ = Kind::irecv_isend;
  std::unique_ptr<double, Free> array_;  // the inner pages of a large one are never touched
  std::vector<double> out_[2], in_[2];
  MPI_Request requests_[2][4] = {
      {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL},
      {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
};

}  // namespace phasewise::benchmarks
