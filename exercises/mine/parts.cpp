#include "mine/parts.hpp"

#include <dlfcn.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "io/files.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "ops/reduce/reduce.hpp"
#include "text/corpus.hpp"

namespace xf::mine {

namespace {

double now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

std::mutex one_at_a_time;
std::map<std::string, double> seconds;

}  // namespace

Parts& parts() {
  static Parts all;
  return all;
}

Timed::Timed(const char* what) : what_(what), begin_(now()) {}

Timed::~Timed() {
  const double took = now() - begin_;
  const std::lock_guard lock(one_at_a_time);
  seconds[what_] += took;
}

void write_times() {
  const char* path = std::getenv("XF_PARTS_TIMES");
  if (!path || !*path) return;
  std::ostringstream text;
  for (const auto& [what, took] : seconds) text << what << '\t' << took << '\n';
  write_file_atomically(path, text.str());
}

void throw_of_part(const char* exercise, const std::string& what) {
  throw UserError(std::string("your ") + exercise + " stopped: " + what);
}

void load_parts() {
  const char* named = std::getenv("XF_PARTS");
  std::istringstream list(named ? named : "");
  for (std::string path; std::getline(list, path, ':');)
    if (!path.empty() && !dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      throw UserError("XF_PARTS: " + std::string(dlerror()));
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
