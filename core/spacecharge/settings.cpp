#include "spacecharge/settings.hpp"

#include <string>
#include <vector>

namespace phasewise::spacecharge {
namespace {

using exchange::Algorithm;
using exchange::LibraryForm;
using workload::Parameters;

// The words of a study; those of the source's five methods come first.
struct Named {
  const char* name;
  Algorithm algorithm;
  LibraryForm form = LibraryForm::scattered;
};
const std::vector<Named> charges = {
    {"reduce-scatter", Algorithm::library},
    {"allreduce", Algorithm::library, LibraryForm::all_reduced},
    {"direct", Algorithm::direct},
    {"hypercube", Algorithm::hypercube},
    {"node-aware", Algorithm::node_aware},
};
const std::vector<Named> fields = {
    {"allgatherv", Algorithm::library},
    {"gatherv-bcast", Algorithm::library, LibraryForm::gathered},
    {"allreduce", Algorithm::library, LibraryForm::all_reduced},
    {"direct", Algorithm::direct},
    {"hypercube", Algorithm::hypercube},
    {"node-aware", Algorithm::node_aware},
};

std::size_t choice_or_first(const Parameters& parameters, const std::string& name,
                            const std::vector<std::string>& accepted) {
  const std::string key = "communication." + name;
  return parameters.has(key) ? parameters.choice(key, accepted) : 0;
}

exchange::PhaseSetting phase_setting(const Parameters& parameters, const std::string& name,
                                     const std::vector<Named>& accepted,
                                     exchange::Schedule schedule) {
  std::vector<std::string> names;
  names.reserve(accepted.size());
  for (const Named& each : accepted) names.emplace_back(each.name);
  const Named& chosen = accepted[choice_or_first(parameters, name, names)];
  return {.algorithm = chosen.algorithm, .form = chosen.form, .schedule = schedule};
}

}  // namespace

Settings read_settings(const Parameters& parameters) {
  const auto schedule = static_cast<exchange::Schedule>(
      choice_or_first(parameters, "schedule", {"ring", "pairwise"}));
  Settings settings;
  settings.decomposition = static_cast<Decomposition>(
      choice_or_first(parameters, "decomposition", {"slabs", "pencils"}));
  settings.charge = phase_setting(parameters, "charge", charges, schedule);
  settings.field = phase_setting(parameters, "field", fields, schedule);
  settings.transpose = static_cast<exchange::Transpose>(
      choice_or_first(parameters, "transpose", {"pairwise", "ring", "bruck", "alltoallw"}));
  return settings;
}

}  // namespace phasewise::spacecharge
