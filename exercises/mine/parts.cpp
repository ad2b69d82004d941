#include "mine/parts.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "tensor/error.hpp"
#include "text/corpus.hpp"

namespace xf::mine {

namespace {

std::vector<LoadedPart> loaded;

}  // namespace

Parts& parts() {
  static Parts all;
  return all;
}

const std::vector<LoadedPart>& loaded_parts() { return loaded; }

void throw_of_part(const char* exercise, const Phrase& what) {
  throw UserError("your {} stopped: {}", std::string(exercise), what);
}

void load_parts() {
  const char* named = std::getenv("XF_PARTS");
  std::istringstream list(named ? named : "");
  for (std::string path; std::getline(list, path, ':');) {
    if (path.empty()) continue;
    // Apart from each other: what two of them call the same are two things.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const take = library ? dlsym(library, "take_part") : nullptr;
    if (!take) throw UserError("XF_PARTS: {}", std::string(dlerror()));
    loaded.push_back({std::filesystem::path(path).filename().string().substr(0, 5),
                      reinterpret_cast<void (*)(Parts&)>(take)});
    loaded.back().take(parts());
  }
}

std::vector<Tensor> gradients_of(const std::function<Tensor(const std::vector<Tensor>&)>& op,
                                 const std::vector<Tensor>& inputs, const Tensor& dy) {
  std::vector<Tensor> leaves, found;
  for (const Tensor& input : inputs) leaves.push_back(parameter(input.clone()));
  Tape tape;
  const Gradients gradients = tape.backward(sum(op(leaves) * dy));
  for (const Tensor& leaf : leaves) found.push_back(gradients.of(leaf));
  return found;
}

}  // namespace xf::mine
