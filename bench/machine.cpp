#include "machine.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <CLI/App.hpp>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include "distributed/processes.hpp"
#include "io/config.hpp"
#include "io/printable.hpp"
#include "language/language.hpp"
#include "ops/matmul/matmul.hpp"
#include "ops/matmul/product_choice.hpp"
#include "program/config_flags.hpp"
#include "program/program.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"

extern "C" char* openblas_get_corename();

namespace xf::bench {

void add_precision_flag(CLI::App& app, Precision& precision) {
  add_kind_flag(app, "--precision", &precision,
                "precision of the factors of matrix products on a GPU: float32, tf32 or bf16");
}

void add_peak_flag(CLI::App& app, int& size) {
  app.add_option("--peak-size", size,
                 "size of the square matrices that measure the sgemm peak; 0: leave it out")
      ->check(negative_problem)
      ->capture_default_str();
}

double sgemm_peak(int size) {
  if (size == 0) return 0;
  const Tensor a = Tensor::full({size, size}, 0.5f), b = Tensor::full({size, size}, 0.25f);
  const auto before = kernel::forced_path();
  std::vector<double> times;
  for (const auto path :
       {std::optional(kernel::ProductPath::openblas), std::optional<kernel::ProductPath>()}) {
    kernel::force_path(path);
    const std::vector<double> taken = times_ms(1, 5, [&] { matmul(a, b); });
    times.insert(times.end(), taken.begin(), taken.end());
  }
  kernel::force_path(before);
  return 2 * std::pow(size, 3) / *std::min_element(times.begin(), times.end()) / 1e6;
}

std::string share_of_peak(double gflops, double peak) {
  if (peak <= 0) return "";
  return words(" = {} % of the sgemm peak, {}", fixed(100 * gflops / peak, 1), fixed(peak, 0));
}

double peak_rss_mb() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

std::string blas_core() { return openblas_get_corename(); }

void warn_of_forced_blas() {
  for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"})
    if (const char* value = std::getenv(name))
      std::cerr << words("warning: {}={} is set; OpenBLAS may run at half its speed",
                         std::string(name), printable(value))
                       .str()
                << '\n';
}

nlohmann::ordered_json machine_record(double gflops, double peak) {
  const auto rounded = [](double x, double unit) { return std::round(x / unit) * unit; };
  nlohmann::ordered_json json = {{"peak_rss_mb", rounded(peak_rss_mb(), 0.1)},
                                 {"gflops", rounded(gflops, 0.1)}};
  if (peak > 0) {
    json["sgemm_peak"] = rounded(peak, 0.1);
    json["peak_share"] = rounded(gflops / peak, 0.0001);
  }
  json["blas"] = blas_core();
  json["threads"] = threads();
  return json;
}

void add_processes(nlohmann::ordered_json& json, double rss) {
  if (!several_processes()) return;
  json["processes"] = everyone().ranks();
  for (const std::string& one : bytes_of_all(everyone(), std::to_string(rss)))
    json["rss_mb_of_each"].push_back(std::round(std::stod(one)));
}

}  // namespace xf::bench
