// Capstone C: splits a text, trains a Transformer-XL of the milestones within a budget, and judges
// a table of such runs.

#include <algorithm>
#include <CLI/App.hpp>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "08_transformer_xl/program/language_model.hpp"
#include "08_transformer_xl/segment_model.hpp"
#include "budget/1_rules/exercise.hpp"
#include "budget/2_memory/exercise.hpp"
#include "io/files.hpp"
#include "io/numbers.hpp"
#include "io/utf8.hpp"
#include "program/program.hpp"
#include "speech/show.hpp"
#include "tensor/parallel.hpp"
#include "train/adam.hpp"
#include "train/schedule.hpp"

namespace xf {

namespace {

using Lines = std::vector<std::string>;

std::string grouped(std::int64_t number) {  // 12,345
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// ---- prepare
// -------------------------------------------------------------------------------------

struct Prepare {
  std::string text;
  int valid = 5, test = 5, least = 30;
};

int prepare(const Prepare& f, const CommonOptions& common) {
  if (f.valid + f.test > 99)
    throw UserError("--valid: " + std::to_string(f.valid) +
                    "% and --test: " + std::to_string(f.test) + "% leave nothing to train on");
  const exercise::Parts parts = exercise::split(read_file(f.text), f.valid, f.test);
  const Lines train = lines_of(parts.train);
  const std::set<std::string> known(train.begin(), train.end());
  const std::pair<const char*, const std::string*> all[] = {
      {"train", &parts.train}, {"valid", &parts.valid}, {"test", &parts.test}};
  for (const auto& [name, part] : all) {
    write_file_atomically(output_path(common, std::string(name) + ".txt"), *part);
    std::cout << name << ": " << grouped(std::int64_t(code_points(*part).size())) << " characters";
    if (part == &parts.train) {
      std::cout << "\n";
      continue;
    }
    int count = 0, shared = 0;
    for (const std::string& line : lines_of(*part)) {
      if (code_points(line).size() < std::size_t(f.least)) continue;
      ++count;
      shared += known.count(line) > 0;
    }
    std::cout << "; " << shared << " of its " << count << " lines of " << f.least
              << " characters and more also stand in train\n";
  }
  return 0;
}

Command add_prepare(CLI::App& app) {
  auto f = std::make_shared<Prepare>();
  app.add_option("--text", f->text, "the whole text")->required();
  integer_flag(app, "--valid", f->valid, "percent of it for validation", 1);
  integer_flag(app, "--test", f->test, "percent of it for the test", 0);
  integer_flag(app, "--least", f->least, "count shared lines of so many characters", 1);
  return [f](const CommonOptions& common) { return prepare(*f, common); };
}

// ---- the table
// -----------------------------------------------------------------------------------

const std::string heading = "setting,seed,parameters,multiply_adds,valid,test";

// Throws UserError naming file and line.
std::vector<exercise::Run> read_table(const std::string& path) {
  std::vector<exercise::Run> table;
  const Lines lines = lines_of(read_file(path));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto fail = [&](const std::string& what) {
      throw UserError(path + ":" + std::to_string(i + 1) + ": " + what);
    };
    if (i == 0) {
      if (lines[0] != heading) fail("the first line is not " + heading);
      continue;
    }
    Lines cells(1);
    for (char c : lines[i])
      if (c == ',') {
        cells.emplace_back();
      } else {
        cells.back() += c;
      }
    if (cells.size() != 6) fail(std::to_string(cells.size()) + " cells, 6 are wanted");
    const auto seed = number_in<int>(cells[1]);
    const auto parameters = number_in<std::int64_t>(cells[2]);
    const auto operations = number_in<std::int64_t>(cells[3]);
    const auto valid = number_in<double>(cells[4]);
    const auto test = cells[5].empty() ? std::optional<double>(0) : number_in<double>(cells[5]);
    if (!seed || !parameters || !operations || !valid || !test) fail("a cell is no number");
    table.push_back({cells[0], *seed, *parameters, *operations, *valid, *test});
  }
  return table;
}

// Adds a line; where the same run stands there already, with the same validation result, its test
// result is filled in.
void append(const std::string& path, const exercise::Run& run) {
  std::error_code none;
  std::vector<exercise::Run> table;
  if (std::filesystem::exists(path, none)) table = read_table(path);
  const auto known = std::find_if(table.begin(), table.end(), [&](const exercise::Run& each) {
    return each.setting == run.setting && each.seed == run.seed && each.test == 0 && run.test > 0 &&
           fixed(each.valid) == fixed(run.valid);
  });
  if (known == table.end()) {
    table.push_back(run);
  } else {
    known->test = run.test;
  }
  std::string text = heading + "\n";
  for (const exercise::Run& each : table)
    text += each.setting + "," + std::to_string(each.seed) + "," + std::to_string(each.parameters) +
            "," + std::to_string(each.multiply_adds) + "," + fixed(each.valid) + "," +
            (each.test > 0 ? fixed(each.test) : "") + "\n";
  write_file_atomically(path, text);
}

struct Limits {
  double budget = 1e12;
  int parameters = 300'000;

  std::int64_t multiply_adds() const { return static_cast<std::int64_t>(budget); }
};

void add_limits(CLI::App& app, Limits& limits) {
  app.add_option("--budget", limits.budget, "multiply-adds that a training may cost")
      ->check(range_problem(1, 1e18))
      ->capture_default_str();
  integer_flag(app, "--most-parameters", limits.parameters, "parameters that a model may have", 1);
}

struct Report {
  std::string table;
  Limits limits;
};

int report(const Report& f) {
  const std::vector<exercise::Run> table = read_table(f.table);
  const std::vector<exercise::Fault> faults =
      exercise::faults(table, f.limits.parameters, f.limits.multiply_adds());
  const char* names[] = {"", "over the budget", "made before with this seed",
                         "the test was looked at before the choice"};
  struct Sum {
    double valid = 0, test = 0;
    int runs = 0, tests = 0;
    std::int64_t parameters = 0;
  };
  std::map<std::string, Sum> sums;
  std::vector<exercise::Run> sound;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const exercise::Run& run = table[i];
    if (faults[i] != exercise::Fault::none)
      std::cout << f.table << ":" << i + 2 << ": " << names[static_cast<int>(faults[i])] << "\n";
    if (faults[i] == exercise::Fault::over_budget || faults[i] == exercise::Fault::repeated)
      continue;
    sound.push_back(run);
    Sum& sum = sums[run.setting];
    sum.valid += run.valid;
    sum.runs += 1;
    sum.test += run.test;
    sum.tests += run.test > 0;
    sum.parameters = run.parameters;
  }
  if (sums.empty()) throw UserError(f.table + ": no run within the budget");
  const auto mean = [](const Sum& sum) { return sum.valid / sum.runs; };
  std::vector<std::pair<std::string, Sum>> order(sums.begin(), sums.end());
  std::stable_sort(order.begin(), order.end(),
                   [&](const auto& a, const auto& b) { return mean(a.second) < mean(b.second); });
  const std::string& chosen = order[0].first;
  for (const auto& [setting, sum] : order) {
    std::cout << setting << ": " << grouped(sum.parameters) << " parameters, " << fixed(mean(sum))
              << " bits of validation over " << sum.runs << (sum.runs == 1 ? " seed" : " seeds");
    if (sum.tests > 0)
      std::cout << ", test " << fixed(sum.test / sum.tests) << " over " << sum.tests;
    if (setting != chosen) {
      std::set<int> own, common;
      for (const exercise::Run& run : sound)
        if (run.setting == chosen) own.insert(run.seed);
      for (const exercise::Run& run : sound)
        if (run.setting == setting && own.count(run.seed)) common.insert(run.seed);
      if (common.size() >= 2 && common.size() <= std::size(exercise::student)) {
        const exercise::Difference d = exercise::difference(sound, chosen, setting);
        std::cout << "; worse than the first by " << fixed(d.mean) << " +- " << fixed(d.margin)
                  << (d.mean > d.margin ? "" : ", which these seeds do not show");
      }
    }
    std::cout << "\n";
  }
  return 0;
}

Command add_report(CLI::App& app) {
  auto f = std::make_shared<Report>();
  app.add_option("--table", f->table, "the table that train writes")->required();
  add_limits(app, f->limits);
  return [f](const CommonOptions&) { return report(*f); };
}

// ---- train
// ---------------------------------------------------------------------------------------

struct Train {
  std::string text, valid, test, table, lengths;
  TransformerXlConfig config{.d_model = 48,
                             .d_ff = 192,
                             .layers = 4,
                             .segment = 32,
                             .memory = 32,
                             .dropout = 0,
                             .attention_dropout = 0,
                             .norm = NormOrder::pre};
  Limits limits;
  int batch = 16, warmup = 100, updates = 0, say_every = 1000;
  double rate = 6e-3, clip = 0.25, dropout = 0, slack = 0.002;
};

void add_flags(CLI::App& app, Train& f) {
  app.add_option("--text", f.text, "training text (default: the tutorial's own documentation)");
  app.add_option("--valid", f.valid, "validation text");
  app.add_option("--test", f.test, "test text: for the setting that was chosen, at the very end");
  integer_flag(app, "--d-model", f.config.d_model, "width of the model", 2);
  integer_flag(app, "--d-ff", f.config.d_ff, "width of the feed-forward layer", 1);
  integer_flag(app, "--heads", f.config.heads, "attention heads", 1);
  integer_flag(app, "--layers", f.config.layers, "layers", 1);
  integer_flag(app, "--segment", f.config.segment, "tokens that a segment predicts", 1);
  integer_flag(app, "--memory", f.config.memory, "states remembered in training", 0);
  integer_flag(app, "--batch", f.batch, "streams of the text that are read side by side", 1);
  app.add_option("--lr", f.rate, "learning rate at its peak; it falls to 0 at the end")
      ->check(positive_problem)
      ->capture_default_str();
  integer_flag(app, "--warmup", f.warmup, "updates until the peak", 0);
  app.add_option("--clip", f.clip, "the largest norm of the gradients")
      ->check(positive_problem)
      ->capture_default_str();
  app.add_option("--dropout", f.dropout, "dropout rate, also of the attention weights")
      ->check(range_problem(0, 0.9))
      ->capture_default_str();
  add_limits(app, f.limits);
  integer_flag(app, "--updates", f.updates, "stop after so many updates (0: the budget's)", 0);
  integer_flag(app, "--say-every", f.say_every, "updates between two lines", 1);
  app.add_option("--lengths", f.lengths, "memories to evaluate with: 32,64 (default: --memory)");
  app.add_option("--slack", f.slack, "bits that a shorter memory may cost")
      ->check(negative_problem)
      ->capture_default_str();
  app.add_option("--table", f.table, "a line for this run is added to this file");
}

// Chapter 8's layers, through which text and memory go as the milestones say.
struct Carried {
  TransformerXl model;

  Carried(const TransformerXlConfig& config, Random& random) : model(config, random) {}
  static Memory start(const TransformerXlConfig& c, Remembered what) {
    return TransformerXl::start(c, what);
  }
  static int memory_width(const TransformerXlConfig& c) { return c.d_model; }

  // x: (B, T, D)   returns (B, T, D)
  Tensor operator()(const Tensor& x, Memory& memory) const {
    const SegmentLengths n = memory.lengths(x.size(1));
    const Mask mask = segment_mask(n, false);  // (1, T, S)
    const Tensor r = dropout(model.positions(n.present_length + n.query_length),
                             model.dropout_rate);  // (S, D)
    std::vector<exercise::Layer> layers;
    for (const TransformerXlLayer& layer : model.stack.layers)
      layers.push_back([&](const Tensor& h, const Tensor& past) {
        Memory::Layer own{.states = past};
        return layer(h, own, r, model.biases[0], mask);
      });
    std::vector<Tensor> states;
    for (const Memory::Layer& each : memory.layers) states.push_back(each.states);
    const Tensor y =
        exercise::through(layers, dropout(x, model.dropout_rate), states, memory.memory_length);
    memory.layers.clear();
    for (const Tensor& each : states) memory.layers.push_back({.states = each});
    return model.stack.ends_in_norm ? model.stack.final_norm(y) : y;
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    model.visit(v);
  }
};

exercise::Text tokens_of(const Tokenizer& tokenizer, const language::TextSource& source) {
  const language::LanguageText text = language::encode_text(tokenizer, source);
  return text.ids.read(0, text.ids.size());
}

std::string setting_of(const Train& f) {
  const TransformerXlConfig& c = f.config;
  const auto short_number = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", x);
    return std::string(text);
  };
  std::string text;
  for (const auto& [name, value] : {std::pair{"d", c.d_model},
                                    {"f", c.d_ff},
                                    {"h", c.heads},
                                    {"n", c.layers},
                                    {"t", c.segment},
                                    {"m", c.memory},
                                    {"b", f.batch},
                                    {"w", f.warmup}})
    text += std::string(name) + std::to_string(value) + " ";
  text += "lr" + short_number(f.rate) + " clip" + short_number(f.clip);
  return f.dropout > 0 ? text + " dropout" + short_number(f.dropout) : text;
}

int train(const Train& flags, const CommonOptions& common) {
  Train f = flags;
  f.config.dropout = f.config.attention_dropout = f.dropout;
  std::vector<int> lengths = {f.config.memory};
  if (!f.lengths.empty()) {
    const auto list = integers_in(f.lengths);
    if (!list || *std::min_element(list->begin(), list->end()) < 0)
      throw UserError("--lengths: '" + f.lengths + "' is no list of lengths, such as 32,64");
    lengths = *list;
  }
  const language::TextSources sources = language::text_sources(f.text, f.valid);
  const Tokenizer tokenizer =
      language::train_tokenizer(TokenizerKind::character, sources.train, 0, 1);
  f.config.vocabulary = tokenizer.size();
  language::check_flags(f.config);
  const exercise::Text text = tokens_of(tokenizer, sources.train);
  const exercise::Text valid = tokens_of(tokenizer, sources.valid);
  if (valid.size() < 2) throw UserError("--valid: there is nothing to predict");
  if ((std::int64_t(text.size()) - 1) / f.batch < f.config.segment)
    throw UserError("--text: " + std::to_string(text.size()) + " tokens fill no segment of " +
                    std::to_string(f.config.segment) + " in " + std::to_string(f.batch) +
                    " streams");
  std::optional<exercise::Text> test;
  if (!f.test.empty()) test = tokens_of(tokenizer, language::text_source(f.test));

  const exercise::Plan plan{f.config.vocabulary, f.config.d_model, f.config.d_ff, f.config.layers,
                            f.config.segment,    f.config.memory,  f.batch};
  const std::int64_t count = exercise::count_parameters(plan);
  const std::int64_t affordable = exercise::affordable_updates(plan, f.limits.multiply_adds());
  if (count > f.limits.parameters)
    throw UserError("--most-parameters: " + grouped(f.limits.parameters) +
                    ", the model would have " + grouped(count));
  if (affordable < 1)
    throw UserError("--budget: an update costs " + grouped(3 * exercise::multiply_adds(plan)) +
                    " multiply-adds, more than there are");
  const int updates = static_cast<int>(
      std::min<std::int64_t>(f.updates ? f.updates : std::numeric_limits<int>::max(), affordable));

  Random random(common.seed);
  SegmentModel<Carried> model(f.config, random);
  const std::vector<NamedParameter> list = parameters(model);
  if (parameter_count(list) != count)
    throw std::logic_error("C-1 counts " + grouped(count) + " parameters, the model has " +
                           grouped(std::int64_t(parameter_count(list))));
  const exercise::Model loss = [&](const Ids& ids, const Ids& expected, std::vector<Tensor>& states,
                                   int length) {
    Memory memory{.memory_length = length};
    for (const Tensor& each : states) memory.layers.push_back({.states = each});
    const Tensor mean = model.loss(ids, expected, memory);
    states.clear();
    for (const Memory::Layer& each : memory.layers) states.push_back(each.states);
    return mean;
  };
  const std::int64_t spent = 3 * exercise::multiply_adds(plan) * updates;
  std::cout << setting_of(f) << "; seed " << common.seed << "\n"
            << grouped(std::int64_t(text.size()) - 1) << " training characters, "
            << grouped(std::int64_t(valid.size()) - 1) << " for validation; a vocabulary of "
            << tokenizer.size() << "\n"
            << grouped(count) << " parameters; " << grouped(updates) << " updates, "
            << grouped(spent) << " multiply-adds of " << grouped(f.limits.multiply_adds()) << ", "
            << fixed(double(updates) * f.batch * f.config.segment / double(text.size() - 1), 2)
            << " passes over the text" << std::endl;

  Adam adam(list, {.beta2 = 0.99, .epsilon = 1e-8});
  const Schedule schedule{ScheduleKind::linear, f.rate, f.warmup};
  std::vector<Tensor> memory;
  double total = 0;
  int counted = 0;
  catch_interrupts();
  for (int step = 0; step < updates; ++step) {
    if (interrupted()) throw UserError("interrupted: nothing was added to the table");
    const exercise::Segment piece = exercise::segment_of(text, f.batch, f.config.segment, step);
    if (piece.begins) memory.clear();
    const Training training(mix(common.seed ^ mix(std::uint64_t(step) + 1)));
    Tape tape;
    const Tensor mean = loss(piece.ids, piece.expected, memory, f.config.memory);
    Gradients gradients = tape.backward(mean);
    GradientSums sums = sum_of(list, gradients);
    clip(sums, f.clip);
    adam.step(sums, schedule(step + 1, double(step) / updates));
    total += mean.item();
    ++counted;
    if ((step + 1) % f.say_every == 0 || step + 1 == updates) {
      std::cout << "update " << step + 1 << "  loss " << fixed(total / counted) << std::endl;
      total = counted = 0;
    }
  }

  const exercise::Choice choice =
      exercise::choose_length(loss, valid, f.config.segment, lengths, f.slack);
  double lowest = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::cout << "validation, memory " << lengths[i] << ": " << fixed(choice.bits[i])
              << " bits per character" << std::endl;
    if (lengths[i] == choice.length) lowest = choice.bits[i];
  }
  exercise::Run run{setting_of(f), static_cast<int>(common.seed), count, spent, lowest};
  if (test) {
    run.test = exercise::evaluate(loss, *test, f.config.segment, choice.length);
    std::cout << "test, memory " << choice.length << ": " << fixed(run.test)
              << " bits per character" << std::endl;
  }
  if (!f.table.empty()) append(f.table, run);
  return 0;
}

Command add_train(CLI::App& app) {
  auto f = std::make_shared<Train>();
  add_flags(app, *f);
  return [f](const CommonOptions& common) { return train(*f, common); };
}

}  // namespace

}  // namespace xf

int main(int argc, char** argv) {
  const auto none = [](const xf::CommonOptions&) -> int {
    throw xf::UserError("prepare, train or report? --help tells of all three");
  };
  return xf::run_commands(
      argc, argv, "Capstone C: a Transformer-XL for characters under a budget",
      "out/capstones/budget",
      {{"prepare", "split a text so that nothing leaks", xf::add_prepare},
       {"train", "train within the budget, and evaluate with memories of several lengths",
        xf::add_train},
       {"report", "judge the table of all runs, and compare settings seed by seed",
        xf::add_report}},
      none, 1);
}
