#include "autograd/recorder.hpp"

#include <algorithm>
#include <stdexcept>

namespace xf {

namespace {

// Removes the first part of a path and returns it.
std::string_view take_part(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view part = path.substr(0, dot);
  path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  return part;
}

bool matches(std::string_view path, std::string_view pattern) {
  while (!path.empty() && !pattern.empty()) {
    const std::string_view part = take_part(path), wanted = take_part(pattern);
    if (wanted != "*" && wanted != part) return false;
  }
  return path.empty() && pattern.empty();
}

}  // namespace

Recorder::Recorder(std::vector<std::string> names) : previous_(active_), names_(std::move(names)) {
  active_ = this;
}

Recorder::~Recorder() { active_ = previous_; }

const Tensor& Recorder::of(std::string_view path) const {
  for (auto value = values_.rbegin(); value != values_.rend(); ++value)
    if (value->path == path) return value->tensor;
  std::string paths;
  for (const Value& value : values_) paths += (paths.empty() ? "" : ", ") + value.path;
  throw std::invalid_argument("recorder: no " + std::string(path) + " among " +
                              (paths.empty() ? "nothing recorded" : paths));
}

std::vector<Tensor> Recorder::all(std::string_view pattern) const {
  std::vector<Tensor> found;
  for (const Value& value : values_)
    if (matches(value.path, pattern)) found.push_back(value.tensor);
  return found;
}

bool Recorder::wants(std::string_view name) const {
  return names_.empty() || std::find(names_.begin(), names_.end(), name) != names_.end();
}

void Recorder::add(std::string_view name, const Tensor& value) {
  if (!wants(name)) return;
  std::string path;
  for (const std::string& scope : scopes_) path += scope;
  values_.push_back({path + std::string(name), value.view(value.shape())});
}

std::string Recorder::path() const {
  std::string path;
  for (const std::string& scope : scopes_) path += scope;
  return path.substr(0, path.empty() ? 0 : path.size() - 1);
}

void Recorder::enter(std::string_view name) { scopes_.push_back(std::string(name) + "."); }

void Recorder::leave() { scopes_.pop_back(); }

}  // namespace xf
