#include <algorithm>
#include <CLI/App.hpp>
#include <cmath>
#include <iostream>
#include <memory>

#include "08_transformer_xl/program/maps.hpp"
#include "09_since_2017/program/commands.hpp"
#include "09_since_2017/program/layer_walk.hpp"
#include "09_since_2017/program/read_text.hpp"
#include "io/files.hpp"
#include "io/printable.hpp"
#include "seeing/lens_page.hpp"
#include "tensor/portable_math.hpp"
#include "train/progress.hpp"

namespace xf::since_2017 {

namespace {

// The norm of each row.   x: (1, T, D)   returns T numbers
std::vector<double> norms_of(const Tensor& x) {
  const Values numbers = x.values();
  const int width = x.size(2);
  std::vector<double> norms;
  for (int row = 0; row < x.size(1); ++row) {
    double sum = 0;
    for (int i = 0; i < width; ++i) {
      const auto number = static_cast<double>(numbers[std::ptrdiff_t(row) * width + i]);
      sum += number * number;
    }
    norms.push_back(std::sqrt(sum));
  }
  return norms;
}

// The mean of |x| of each feature over all tokens but the first.   x: (1, T, D)   returns D numbers
std::vector<double> sizes_of(const Tensor& x) {
  const Values numbers = x.values();
  const int width = x.size(2), rows = x.size(1) - 1;
  std::vector<double> sizes(static_cast<std::size_t>(width));
  for (int row = 1; row <= rows; ++row)
    for (int i = 0; i < width; ++i)
      sizes[static_cast<std::size_t>(i)] +=
          double(std::abs(numbers[std::ptrdiff_t(row) * width + i])) / rows;
  return sizes;
}

void measure_stream(const Tensor& x, LensLayer& layer) {
  std::vector<double> norms = norms_of(x);
  layer.norm_first = norms[0];
  norms.erase(norms.begin());
  layer.norm_rest = median(norms);
  const std::vector<double> sizes = sizes_of(x);
  const auto largest = std::max_element(sizes.begin(), sizes.end());
  layer.feature = static_cast<int>(largest - sizes.begin());
  layer.feature_size = *largest;
  layer.feature_times = *largest / median(sizes);
}

// What the model would predict at each position if it ended after this layer.
LensLayer looked_through(const ReadText& read, const Tensor& x) {
  const DecoderOnly& model = read.published.model;
  LensLayer layer;
  const Tensor states = model.final_norm(x);
  logits_in_parts(model, states, [&](int, const Tensor& logits) {
    const auto spelled = [&](int id) { return read.spelled(id); };
    for (const auto& next : language::likeliest_next(logits, spelled)) layer.says.push_back(next);
  });
  const std::vector<double> logs = log_probabilities(model, states, read.ids);
  for (const double log : logs) {
    layer.next.push_back(portable::exp(log));
    layer.nats -= log / double(logs.size());
  }
  measure_stream(x, layer);
  return layer;
}

void print(const LensPage& page) {
  std::cout << formatted("%zu tokens\n", page.tokens.size())
            << "                 norm of the stream    the largest feature:     after the text\n"
               "layer     nats      first     others    index    size   times   it says      p\n";
  for (std::size_t i = 0; i < page.layers.size(); ++i) {
    const LensLayer& layer = page.layers[i];
    const auto& [word, p] = layer.says.back().front();
    std::cout << (i == 0 ? "input" : formatted("%5zu", i - 1))
              << formatted(" %8.3f %10.1f %10.1f  %7d %7.1f %7.1f   %-9s %.3f\n", layer.nats,
                           layer.norm_first, layer.norm_rest, layer.feature, layer.feature_size,
                           layer.feature_times, printable(word).c_str(), p);
  }
}

int run_lens(const TextFlags& f, const CommonOptions& common) {
  const auto [read, all_tokens] = f.read();
  const DecoderOnly& model = read.published.model;
  LensPage page{"Lens: " + f.model, read.tokens(), {}};
  const LayerWalk walk(model, read.ids);
  Meanwhile meanwhile(model.config.layers + 1.0, "layers");
  for (int i = 0; i <= model.config.layers; ++i, meanwhile.add(1))
    page.layers.push_back(looked_through(read, walk.stream(i)));
  print(page);
  const std::string path = output_path(common, "lens.html");
  write_file_atomically(path, lens_html(page));
  std::cout << path << '\n';
  return 0;
}

}  // namespace

Command add_lens(CLI::App& app) {
  auto f = std::make_shared<TextFlags>();
  f->add(app);
  return [f](const CommonOptions& common) { return run_lens(*f, common); };
}

}  // namespace xf::since_2017
