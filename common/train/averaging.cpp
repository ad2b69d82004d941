#include "train/averaging.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "io/files.hpp"
#include "io/safetensors.hpp"
#include "tensor/accumulate.hpp"

namespace xf {

void load_average(const std::vector<std::string>& paths,
                  const std::vector<NamedParameter>& parameters) {
  if (paths.empty()) throw std::invalid_argument("load_average: no files");
  std::vector<Tensor> sums, before;
  for (const NamedParameter& parameter : parameters) before.push_back(parameter.tensor->clone());
  const auto restore = [&](const std::vector<Tensor>& values, float factor) {
    for (std::size_t p = 0; p < parameters.size(); ++p)
      for (std::ptrdiff_t i = 0; i < values[p].count(); ++i)
        parameters[p].tensor->data()[i] = factor * values[p].data()[i];
  };
  try {
    for (const std::string& path : paths) {
      load_parameters(path, parameters);
      for (std::size_t p = 0; p < parameters.size(); ++p)
        if (sums.size() == p)
          sums.push_back(parameters[p].tensor->clone());
        else
          accumulate_into(sums[p], *parameters[p].tensor);
    }
  } catch (...) {
    restore(before, 1.0f);
    throw;
  }
  restore(sums, 1.0f / static_cast<float>(paths.size()));
}

Snapshots::Snapshots(const std::string& directory, int count)
    : directory_(directory + "/average"), count_(count) {}

std::string Snapshots::path(int update) const {
  char name[32];
  std::snprintf(name, sizeof name, "/%08d.safetensors", update);
  return directory_ + name;
}

void Snapshots::clear() const { std::filesystem::remove_all(directory_); }

void Snapshots::restore(int update) {
  paths_.clear();
  if (!std::filesystem::exists(directory_)) return;
  for (const auto& entry : std::filesystem::directory_iterator(directory_))
    if (entry.path().extension() == ".safetensors" && entry.path().string() <= path(update))
      paths_.push_back(entry.path().string());
  std::sort(paths_.begin(), paths_.end());
}

void Snapshots::add(int update, const std::vector<NamedParameter>& parameters) {
  if (count_ <= 1) return;
  make_directory(directory_);
  for (; std::ssize(paths_) > count_; paths_.pop_front()) std::filesystem::remove(paths_.front());
  paths_.push_back(path(update));
  save_parameters(paths_.back(), parameters);
}

double Snapshots::load_better(const std::vector<NamedParameter>& parameters,
                              const std::function<double()>& loss) const {
  const double last = loss();
  if (paths_.size() <= 1) return last;
  load_average({paths_.end() - std::min(count_, std::ssize(paths_)), paths_.end()}, parameters);
  const double mean = loss();
  if (mean <= last) return mean;
  load_last(parameters);
  return last;
}

void Snapshots::load_last(const std::vector<NamedParameter>& parameters) const {
  if (!paths_.empty()) load_parameters(paths_.back(), parameters);
}

}  // namespace xf
