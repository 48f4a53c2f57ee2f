// Max-min fair rates of flows over shared links: no flow can get more without taking from one that
// has less (Bertsekas, Gallager, Data Networks, section 6.5.2).
#pragma once

#include <span>
#include <vector>

namespace phasewise::contention {

class FairShare {
 public:
  // `capacities` are those of the links [B/s].
  explicit FairShare(const std::vector<double>& capacities);

  // A flow uses some links, and gets at most `max_rate`. The weights say how much of each link's
  // capacity a byte takes; without weights it takes 1.
  struct Flow {
    std::span<const int> links;
    double max_rate;
    std::span<const double> weights = {};

    double weight(std::size_t link) const { return weights.empty() ? 1.0 : weights[link]; }
  };
  // rates[i] becomes the rate of flow i [B/s]. Links whose shares differ by less than `tolerance`,
  // relative, are filled together. This takes about 3 passes over all (flow, link) pairs, and one
  // over the used links for each different share.
  void rates(std::span<const Flow> flows, double tolerance, std::vector<double>& rates);

 private:
  struct Link {
    double capacity, left = 0.0;
    double demand = 0.0;      // weights of the flows without a rate
    int number = 0;           // number of these flows
    int begin = 0, size = 0;  // its flows in flows_of_links_
    double share() const { return left / demand; }
  };
  void count(std::span<const Flow> flows);
  void sort_bounds(std::span<const Flow> flows);
  void fix(int flow, double rate, std::span<const Flow> flows, std::vector<double>& rates);

  std::vector<Link> links_;
  std::vector<int> used_, open_, flows_of_links_;
  struct Bound {
    double max_rate;
    std::vector<int> flows;
  };
  std::vector<Bound> bounds_;  // ascending; there are few different ones
};

}  // namespace phasewise::contention
