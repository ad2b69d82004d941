#include "mine/parts.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "trace/places.hpp"

namespace xf::mine {

namespace {

// The ops to record after a part that computes on plain numbers, and the name of its function.
constexpr struct {
  const char *exercise, *op, *function;
} recorded_after[] = {{"01-01", "embedding of parts", "embed"},
                      {"02-01", "attention of parts", "attention"},
                      {"03-01", "layer norm of parts", "layer_norm"},
                      {"04-01", "feed-forward of parts", "feed_forward"},
                      {"04-04", "dropout of parts", "dropout_forward"},
                      {"06-01", "attention of parts", "causal_attention"},
                      {"07-01", "loss of parts", "smoothed_cross_entropy"}};

struct Loaded {
  Parts all = {};
  std::vector<LoadedPart> each = {};
};

Loaded load() {
  Loaded loaded;
  const char* named = std::getenv("XF_PARTS");
  std::istringstream list(named ? named : "");
  for (std::string entry; std::getline(list, entry, ':');) {
    if (entry.empty()) continue;
    const std::string path = entry.substr(0, entry.find('=')), answer = entry.substr(path.size());
    // RTLD_LOCAL: two libraries may use the same name for different things.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const take = library ? dlsym(library, "take_part") : nullptr;
    if (!take) throw UserError("XF_PARTS: {}", std::string(dlerror()));
    LoadedPart& one =
        loaded.each.emplace_back(std::filesystem::path(path).filename().string().substr(0, 5));
    for (Parts* table : {&one.alone, &loaded.all}) reinterpret_cast<void (*)(Parts&)>(take)(*table);
    if (answer.empty()) continue;
    Places::also(path, answer.substr(1));
    for (const auto& [exercise, op, function] : recorded_after)
      if (one.exercise == exercise) Places::computes(op, answer.substr(1), function);
  }
  return loaded;
}

Loaded& loaded() {
  static Loaded once = load();
  return once;
}

}  // namespace

Parts& parts() { return loaded().all; }

const std::vector<LoadedPart>& loaded_parts() { return loaded().each; }

void throw_of_part(const char* exercise, const Phrase& what) {
  throw UserError("your {} stopped: {}", std::string(exercise), what);
}

Tensors gradients_of(const std::function<Tensor(const Tensors&)>& op, const Tensors& inputs,
                     const Tensor& dy) {
  Tensors leaves, found;
  for (const Tensor& input : inputs) leaves.push_back(parameter(input.clone()));
  Tape tape;
  const Gradients gradients = tape.backward(sum(op(leaves) * dy));
  for (const Tensor& leaf : leaves) found.push_back(gradients.of(leaf));
  return found;
}

Tensor OpOfParts::operator()(std::initializer_list<const Tensor*> inputs) const {
  Tensors in;
  for (const Tensor* input : inputs) in.push_back(forward || backward ? detach(*input) : *input);
  if (!forward && !backward) return book(in);
  return record(op, forward ? forward(in) : book(in), inputs,
                [in, whole = book, part = backward](InputGradients& to, const Tensor& dy) {
                  const Tensors d = part ? part(in, dy) : gradients_of(whole, in, dy);
                  for (std::size_t i = 0; i < in.size(); ++i)
                    to.add(static_cast<int>(i), d[i].view(in[i].shape()));
                });
}

}  // namespace xf::mine
