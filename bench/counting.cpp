#include "counting.hpp"

#include <algorithm>
#include <CLI/App.hpp>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "cuda/mirror.hpp"
#include "table.hpp"

namespace xf::bench {

namespace {

using cuda::KernelCounts;

constexpr CountField fields[] = {
    {"launches", "launches", &KernelCounts::launches, 8},
    {"accesses", "accesses", &KernelCounts::accesses, 9},
    {"transactions", "transactions", &KernelCounts::transactions, 12},
    {"bytes_read", "bytes read", &KernelCounts::bytes_read, 10},
    {"bytes_written", "written", &KernelCounts::bytes_written, 9},
    {"shared_accesses", "shared", &KernelCounts::shared_accesses, 9},
    {"conflicts", "conflicts", &KernelCounts::conflicts, 9},
    {"branches", "branches", &KernelCounts::branches, 8},
};

constexpr int name_width = 26;

nlohmann::ordered_json json_of(const KernelCounts& counts) {
  nlohmann::ordered_json json;
  for (const CountField& field : fields) json[field.name] = counts.*field.member;
  json["blocks"] = counts.blocks;
  json["threads"] = counts.threads;
  json["atomics"] = counts.atomics;
  return json;
}

}  // namespace

void add_count_flag(CLI::App& app, bool& count) {
  app.add_flag("--count", count,
               "with cuda-emulated, count what a step requires of a GPU instead of timing it; the "
               "model has all its layers, but sizes that no flag sets are small");
}

#ifdef XF_WATCHED

Counter::Counter(const CommonOptions& common) {
  if (common.device == Device::cpu)
    throw UserError("--count: works only with --device cuda-emulated");
  counting_.emplace();
}
cuda::Counts Counter::of(const std::function<void()>& work) const {
  const cuda::Counts before = counting_->so_far();
  cuda::forget_mirrored();
  work();
  return counting_->so_far() - before;
}

#else

Counter::Counter(const CommonOptions&) {
  throw UserError("--count: needs the preset 'release' and g++");
}
cuda::Counts Counter::of(const std::function<void()>&) const { return {}; }

#endif

std::string counts_heading(const Phrase& first, int width, std::span<const CountField> columns) {
  std::string line = cell(first, -width);
  for (const CountField& field : columns) line += " " + cell(field.title, field.width);
  return line;
}

std::string counts_row(const Phrase& first, int width, std::span<const CountField> columns,
                       const KernelCounts& counts) {
  std::string line = cell(first, -width);
  for (const CountField& field : columns)
    line += " " + cell(std::to_string(counts.*field.member), field.width);
  return line;
}

void print_counts(const cuda::Counts& counts, const nlohmann::ordered_json& config) {
  std::vector<std::pair<std::string, KernelCounts>> kernels(counts.kernels.begin(),
                                                            counts.kernels.end());
  std::ranges::stable_sort(kernels, std::greater{},
                           [](const auto& kernel) { return kernel.second.transactions; });
  print_line(counts_heading("kernel", name_width, fields));
  KernelCounts all;
  nlohmann::ordered_json json = {{"kernels", nlohmann::ordered_json::object()}};
  for (const auto& [name, kernel] : kernels) {
    print_line(counts_row(name, name_width, fields, kernel));
    for (const CountField& field : fields) all.*field.member += kernel.*field.member;
    json["kernels"][name] = json_of(kernel);
  }
  print_line(counts_row("sum", name_width, fields, all));
  print_line(words("{} launches, {} allocations of {} bytes, {} copies on the device", all.launches,
                   counts.allocations, counts.bytes_allocated, counts.device_copies));
  print_line(
      words("{} copies to the device of {} bytes, {} copies to the host of {} bytes; the host "
            "waits for each of the latter",
            counts.uploads, counts.bytes_uploaded, counts.downloads, counts.bytes_downloaded));
  std::fflush(stdout);
  json["launches"] = all.launches;
  json["transactions"] = all.transactions;
  json["allocations"] = counts.allocations;
  json["bytes_allocated"] = counts.bytes_allocated;
  json["device_copies"] = counts.device_copies;
  json["uploads"] = counts.uploads;
  json["bytes_uploaded"] = counts.bytes_uploaded;
  json["waits"] = counts.downloads;
  json["bytes_downloaded"] = counts.bytes_downloaded;
  json["config"] = config;
  std::cout << json.dump() << '\n';
}

}  // namespace xf::bench
