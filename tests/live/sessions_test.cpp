#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "03_layer_norm/lesson_measure.hpp"
#include "07_transformer/experiments/own_language.hpp"
#include "08_transformer_xl/experiments/recall.hpp"
#include "live/answer.hpp"
#include "support/temporary.hpp"
#include "support/threads.hpp"
#include "text/corpus.hpp"

namespace xf::test {

namespace {

using nlohmann::json;

json ask(const json& request) { return json::parse(live::answer(request.dump())); }
json ask(const char* what, const json& id) { return ask({{"do", what}, {"id", id}}); }
json start(const char* task, const json& options, int seed = 1) {
  return ask({{"do", "start"}, {"task", task}, {"seed", seed}, {"options", options}});
}

// All losses of a training, `n` updates a request; it stays.
std::vector<double> losses_of(const json& started, int n) {
  std::vector<double> losses;
  for (bool finished = false; !finished;) {
    const json steps = ask({{"do", "steps"}, {"id", started["id"]}, {"n", n}});
    for (const json& loss : steps["losses"]) losses.push_back(loss);
    CHECK(steps["update"] == losses.size());
    finished = steps["finished"];
  }
  CHECK(losses.size() == started["updates"]);
  return losses;
}

void check_losses(const std::vector<double>& one, const std::vector<double>& other) {
  REQUIRE(one.size() == other.size());
  for (std::size_t i = 0; i < one.size(); ++i)
    CHECK(one[i] == doctest::Approx(other[i]).epsilon(1e-6));  // the answer has floats
}

}  // namespace

TEST_CASE("live: the losses of norm are those of lesson 3") {
  const struct {
    const char* name;
    lesson_03::Block block;
  } kinds[] = {{"post", lesson_03::Block::post},
               {"pre", lesson_03::Block::pre},
               {"overwritten", lesson_03::Block::overwritten},
               {"no_residual", lesson_03::Block::no_residual},
               {"no_norm", lesson_03::Block::no_norm},
               {"neither", lesson_03::Block::neither}};
  for (const auto& kind : kinds) {
    const json started = start("norm", {{"norm", kind.name}, {"warmup", 5}, {"updates", 12}}, 2);
    check_losses(losses_of(started, 5), lesson_03::train(kind.block, 5, 12, 2));
    CHECK(ask("stop", started["id"]) == json::object());
  }
}

TEST_CASE("live: the losses of recall are those of lesson 8") {
  using namespace lesson_08;
  const int updates = 6;
  Random draw(1, 6);
  const TransformerXlConfig sizes = recall_sizes(8);
  AnySegmentModel xl(sizes, draw), vanilla(as_vanilla(vanilla_equal(sizes)), draw);
  for (AnySegmentModel* model : {&xl, &vanilla}) {
    const char* name = model == &xl ? "transformer_xl" : "vanilla";
    const json started = start("recall", {{"model", name}, {"updates", updates}});
    RecallTraining training(*model, 1, updates);
    std::vector<double> losses;
    for (int i = 0; i < updates; ++i) losses.push_back(training.step());
    check_losses(losses_of(started, 4), losses);
    ask("stop", started["id"]);
  }
}

TEST_CASE("live: the little translator is trained as `train` does, update by update") {
  const Threads one(1);
  using namespace lesson_07;
  const ParallelText text = parallel_text(language_split().train);
  TransformerConfig sizes = language_sizes();
  sizes.d_model = sizes.d_ff = 16;
  TrainingOptions options = language_training();
  options.run.updates = 105;  // more than an epoch
  options.run.valid_every = 1;
  options.run.keep_every = 0;
  options.batch_tokens = 2048;
  const TemporaryDirectory directory;
  Translator translator = fresh_translator(sizes, text, 3);
  train_translator(translator, {.train = text, .valid = {}}, options, directory.path, 3, false);
  std::vector<double> losses;
  for (const std::string& line : read_lines(directory.path + "/history.csv"))
    if (std::isdigit(line[0])) {  // update,epoch,seconds,train_loss,...
      std::size_t at = 0;
      for (int comma = 0; comma < 3; ++comma) at = line.find(',', at) + 1;
      losses.push_back(std::stod(line.substr(at)));
    }
  const json started = start("translator",
                             {{"d_model", 16},
                              {"d_ff", 16},
                              {"warmup", 200},
                              {"lr", 4e-3},
                              {"batch_tokens", 2048},
                              {"updates", 105}},
                             3);
  const std::vector<double> live = losses_of(started, 50);
  REQUIRE(live.size() == losses.size());
  for (std::size_t i = 0; i < live.size(); ++i)
    CHECK(std::abs(live[i] - losses[i]) <= 1e-5);  // the file has five digits
  const std::string english = "where is my book";
  const json answer = ask({{"do", "translate"}, {"id", started["id"]}, {"text", english}});
  CHECK(answer["text"] == translate_lines(translator, {english}, {})[0]);
  const json score = ask({{"do", "score"}, {"id", started["id"]}, {"first", 990}, {"count", 50}});
  CHECK(score["of"] == 10);
  CHECK(score["held_out"] == 1000);
  ask("stop", started["id"]);
  CHECK(ask({{"do", "steps"}, {"id", started["id"]}}).contains("error"));
}

TEST_CASE("live: what is planned is what is begun") {
  for (const char* task : {"norm", "recall", "translator"}) {
    const json plan = ask({{"do", "plan"}, {"task", task}, {"seed", 5}});
    json started = ask({{"do", "start"}, {"task", task}, {"seed", 5}});
    const json id = started["id"];
    started.erase("id");
    CHECK(plan == started);
    for (const char* name : {"layers", "d_model", "heads", "batch", "rate", "warmup"})
      CHECK(plan["about"][name].is_number());
    ask("stop", id);
  }
}

TEST_CASE("live: the held-out loss falls with the training, and asking for it changes nothing") {
  for (const char* task : {"norm", "recall"}) {
    const json options = {{"updates", 60}};
    const json one = start(task, options), other = start(task, options);
    const auto held_out = [&] { return ask("held_out", one["id"])["loss"].get<double>(); };
    const double before = held_out();
    CHECK(held_out() == before);
    const std::vector<double> losses = losses_of(one, 60);
    CHECK(std::abs(before - losses[0]) < 0.5);
    CHECK(held_out() < before);
    CHECK(losses == losses_of(other, 60));
    ask("stop", one["id"]);
    ask("stop", other["id"]);
  }
}

TEST_CASE("live: a translator that begins with another's weights is that one") {
  json options = {{"d_model", 16}, {"d_ff", 16}, {"updates", 5}};
  const auto held_out = [](const json& id) { return ask("held_out", id)["loss"].get<double>(); };
  const json trained = start("translator", options)["id"];
  const double fresh = held_out(trained);
  ask({{"do", "steps"}, {"id", trained}, {"n", 5}});
  const json weights = ask("weights", trained)["weights_base64"];
  options["weights_base64"] = weights;
  const json again = start("translator", options)["id"];
  CHECK(held_out(trained) < fresh);
  CHECK(held_out(again) == held_out(trained));
  CHECK(ask("weights", again)["weights_base64"] == weights);
  options["d_model"] = 32;
  CHECK(start("translator", options).value("error", "").starts_with("weights_base64: "));
  ask("stop", trained);
  ask("stop", again);
}

}  // namespace xf::test
