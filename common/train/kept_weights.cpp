#include "train/kept_weights.hpp"

#include <algorithm>
#include <cstdlib>

#include "io/files.hpp"
#include "io/printable.hpp"
#include "io/safetensors.hpp"

namespace xf {

namespace {

const std::string ending = ".safetensors";

std::string folder(const std::string& directory) { return directory + "/kept"; }

}  // namespace

std::vector<KeptWeights> kept_weights(const std::string& directory) {
  std::vector<KeptWeights> all;
  for (const std::string& name : directory_entries(folder(directory)))
    if (name.ends_with(ending))
      all.push_back({std::atoi(name.c_str()), folder(directory) + "/" + name});
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.update < b.update; });
  return all;
}

void keep_weights(const std::string& directory, int update,
                  const std::vector<NamedParameter>& parameters) {
  make_directory(folder(directory));
  save_parameters(folder(directory) + formatted("/%08d", update) + ending, parameters);
}

void forget_kept_weights(const std::string& directory) {
  if (is_directory(folder(directory))) remove_all(folder(directory));
}

}  // namespace xf
