#pragma once

#include <nlohmann/json.hpp>

#include "plot/explorer.hpp"

namespace xf {

// The candidates of a search, step by step, in the format that the pages read.
inline nlohmann::json search_steps(const std::vector<std::vector<SearchCandidate>>& search) {
  static constexpr const char* fates[] = {"kept", "complete", "dropped"};
  nlohmann::json steps = nlohmann::json::array();
  for (const std::vector<SearchCandidate>& candidates : search) {
    nlohmann::json& step = steps.emplace_back(nlohmann::json::array());
    for (const SearchCandidate& one : candidates)
      step.push_back({{"before", one.before},
                      {"token", one.token},
                      {"own", one.own},
                      {"all", one.all},
                      {"fate", fates[static_cast<int>(one.fate)]}});
  }
  return steps;
}

}  // namespace xf
