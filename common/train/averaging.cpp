#include "train/averaging.hpp"

#include <algorithm>
#include <cmath>

#include "distributed/processes.hpp"
#include "io/files.hpp"
#include "io/numbers.hpp"
#include "io/printable.hpp"
#include "io/safetensors.hpp"
#include "io/utf8.hpp"
#include "ops/elementwise/elementwise.hpp"

namespace xf {

void load_average(const std::vector<std::string>& paths,
                  const std::vector<NamedParameter>& parameters) {
  if (paths.empty()) throw std::invalid_argument("load_average: no files");
  std::vector<Tensor> sums, before;
  for (const NamedParameter& parameter : parameters) before.push_back(parameter.tensor->clone());
  const auto restore = [&](const std::vector<Tensor>& values, float factor) {
    for (std::size_t p = 0; p < parameters.size(); ++p)
      copy_into(*parameters[p].tensor, scale(values[p], factor).values());
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

namespace {

// Gives all processes the weights of the first one, which reads and writes the files.
void take_first_ones(const std::vector<NamedParameter>& parameters) {
  if (!several_processes()) return;
  for (const NamedParameter& parameter : parameters) {
    std::vector<float> numbers = parameter.tensor->values();
    numbers_of(everyone(), 0, numbers);
    copy_into(*parameter.tensor, numbers);
  }
}

}  // namespace

Snapshots::Snapshots(const std::string& directory, int count)
    : directory_(directory + "/average"), count_(count) {}

std::string Snapshots::path(int update) const {
  return directory_ + formatted("/%08d.safetensors", update);
}

std::vector<int> Snapshots::newest() const {
  return {updates_.end() - std::min(count_, std::ssize(updates_)), updates_.end()};
}

void Snapshots::clear() const {
  if (first_process()) remove_all(directory_);
}

std::string Snapshots::needed() const { return joined(newest(), " "); }

void Snapshots::restore(int update, const std::string& needed) {
  updates_.clear();
  if (count_ <= 1) return;
  for (const std::string& name : directory_entries(directory_)) {
    const auto found = number_in<int>(name.substr(0, name.find('.')));
    if (found && *found <= update && directory_ + "/" + name == path(*found))
      updates_.push_back(*found);
  }
  std::sort(updates_.begin(), updates_.end());
  for (std::string_view word : split_words(needed)) {
    const int wanted = number_in<int>(word).value_or(0);
    if (std::find(updates_.begin(), updates_.end(), wanted) == updates_.end())
      throw UserError(
          "{} is missing, and the run averages over it; --average 1 continues without averaging",
          path(wanted));
  }
  try {
    for (const int one : newest()) load_safetensors(path(one));
  } catch (const UserError& damaged) {
    throw UserError("{}; --average 1 continues without averaging", damaged.message);
  }
}

void Snapshots::add(int update, const std::vector<NamedParameter>& parameters) {
  if (count_ <= 1) return;
  updates_.push_back(update);
  const auto old = updates_.end() - std::min(count_ + 1, std::ssize(updates_));
  if (first_process()) {
    make_directory(directory_);
    for (auto one = updates_.begin(); one != old; ++one) remove_all(path(*one));
    save_parameters(path(update), parameters);
  }
  updates_.erase(updates_.begin(), old);
}

double Snapshots::load_better(const std::vector<NamedParameter>& parameters,
                              const std::function<double()>& loss) const {
  const double last = loss();
  if (updates_.size() <= 1) return last;
  std::vector<std::string> paths;
  for (int update : newest()) paths.push_back(path(update));
  if (first_process()) load_average(paths, parameters);
  take_first_ones(parameters);
  const double mean = loss();
  if (mean <= last || std::isnan(last)) return mean;
  load_last(parameters);
  return last;
}

void Snapshots::load_last(const std::vector<NamedParameter>& parameters) const {
  if (updates_.empty()) return;
  if (first_process()) load_parameters(path(updates_.back()), parameters);
  take_first_ones(parameters);
}

}  // namespace xf
