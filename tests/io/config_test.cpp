#include "io/config.hpp"

#include <doctest/doctest.h>

#include <array>
#include <CLI/CLI.hpp>
#include <limits>

#include "program/config_flags.hpp"
#include "program/program.hpp"
#include "support/errors.hpp"

namespace {

using xf::UserError;

enum class Order { post, pre };
constexpr std::array<const char*, 2> names_of(Order) { return {"post", "pre"}; }

struct Config {
  int d_model = 512;
  float dropout = 0.1f;
  double lr = 1e-4;
  bool tied = true;
  Order norm = Order::post;

  template <class Visitor>
  void visit(Visitor&& v) {
    v("d_model", d_model, "width of the model");
    v("dropout", dropout, "share of activations set to zero");
    v("lr", lr, "learning rate");
    v("tied", tied, "output shares the embedding");
    v("norm", norm, "post or pre");
  }
  bool operator==(const Config&) const = default;
};

struct Newer {
  int layers = 3;
  std::string end = "auto";

  template <class Visitor>
  void visit(Visitor&& v) {
    v("layers", layers, "how many");
    v("end", end, "how it ends", xf::Presence::optional);
  }
};

const char* const as_text = R"({
  "d_model": 512,
  "dropout": 0.1,
  "lr": 0.0001,
  "tied": true,
  "norm": "post"
}
)";

// as_text with `from` replaced.
std::string with(const std::string& from, const std::string& to) {
  std::string text = as_text;
  return text.replace(text.find(from), from.size(), to);
}

std::string refusal(const std::string& text) {
  return xf::test::user_error([&] { xf::from_json<Config>(text, "config.json"); });
}

Config from_flags(std::vector<const char*> words) {
  words.insert(words.begin(), "program");
  Config config;
  CLI::App app;
  xf::add_flags(app, config);
  xf::parse(app, static_cast<int>(words.size()), words.data());
  return config;
}

}  // namespace

TEST_CASE("config: to_json lists the fields in their order, in the shortest decimals") {
  CHECK(xf::to_json(Config{}) == as_text);
}

TEST_CASE("config: from_json returns what to_json was given, to the last bit") {
  const Config config{
      .d_model = -7, .dropout = 1.0f / 3, .lr = 1.0 / 3, .tied = false, .norm = Order::pre};
  CHECK(xf::from_json<Config>(xf::to_json(config), "c") == config);
  const std::string text = "\"中文\"\n";
  CHECK(xf::from_json<Newer>(xf::to_json(Newer{.end = text}), "c").end == text);
  CHECK(xf::from_json<Config>(with("0.1", "1"), "c").dropout == 1.0f);
}

TEST_CASE("config: to_json refuses what JSON has no word for") {
  CHECK_THROWS_AS(xf::to_json(Config{.lr = std::numeric_limits<double>::infinity()}),
                  std::invalid_argument);
}

TEST_CASE("config: from_json names the file and the key that is wrong") {
  CHECK(refusal(with("d_model", "d_modle")) == "config.json: unknown key \"d_modle\"");
  CHECK(refusal(with("\"lr\": 0.0001,", "")) == "config.json: no key \"lr\"");
  CHECK(refusal(with("\"lr\"", "\"tied\"")) == "config.json: the key \"tied\" occurs twice");
  CHECK(refusal(with("512", "512.5")) ==
        "config.json: \"d_model\" must be a 32-bit integer, not 512.5");
  CHECK(refusal(with("512", "3000000000")) ==
        "config.json: \"d_model\" must be a 32-bit integer, not 3000000000");
  CHECK(refusal(with("512", "-3000000000")) ==
        "config.json: \"d_model\" must be a 32-bit integer, not -3000000000");
  CHECK(refusal(with("0.1", "1e300")) ==
        "config.json: \"dropout\" must be a smaller number, not 1e+300");
  CHECK(refusal(with("0.0001", "\"x\"")) == "config.json: \"lr\" must be a number, not \"x\"");
  CHECK(refusal(with("true", "1")) == "config.json: \"tied\" must be true or false, not 1");
  CHECK(refusal(with("\"post\"", "null")) ==
        "config.json: \"norm\" must be a string in quotes, not null");
  CHECK(refusal(with("\"post\"", "\"{}\"")) == "config.json: norm: expected post or pre, not {}");
}

TEST_CASE("config: from_json refuses what is not one JSON object") {
  CHECK(refusal(with("512,", "512")) == "config.json: line 3 is not JSON");
  CHECK(refusal("") == "config.json: line 1 is not JSON");
  CHECK(refusal("[1]") == "config.json: not a JSON object {...}");
  CHECK(refusal(std::string(as_text) + "x") == "config.json: line 8 is not JSON");
  CHECK(refusal(with("0.0001", "1e999")).starts_with("config.json: "));
  CHECK(refusal(as_text + std::string(1, '\0')) == "config.json: line 8 is not JSON");
  CHECK(refusal(std::string(30'000'000, '[')) ==
        "config.json: 30000000 bytes; a config has at most 65536");
  for (std::size_t length = 0; length + 2 < std::string(as_text).size(); ++length)
    CHECK(!refusal(std::string(as_text).substr(0, length)).empty());
}

TEST_CASE("config: a file from before there was an optional field keeps its default") {
  CHECK(xf::from_json<Newer>("{\"layers\": 2}", "config.json").end == "auto");
  CHECK(xf::from_json<Newer>("{\"layers\": 2, \"end\": \"x\"}", "config.json").end == "x");
  CHECK(xf::to_json(Newer{}).find("\"end\": \"auto\"") != std::string::npos);
}

TEST_CASE("config: every field is a flag") {
  CHECK(from_flags({}) == Config{});
  CHECK(from_flags(
            {"--d-model", "64", "--dropout=0.25", "--lr", "1e-3", "--no-tied", "--norm", "pre"}) ==
        Config{.d_model = 64, .dropout = 0.25f, .lr = 1e-3, .tied = false, .norm = Order::pre});
  CHECK(from_flags({"--tied"}).tied);
}

TEST_CASE("config: flags refuse bad values and name themselves") {
  for (const auto& [flag, value] : {std::pair{"--d-model", "6.5"},
                                    {"--d-model", "3000000000"},
                                    {"--d-model", ""},
                                    {"--lr", ""},
                                    {"--lr", "nan"},
                                    {"--dropout", "1e300"},  // beyond a float
                                    {"--dropout", "x"}})
    CHECK_THROWS_WITH_AS(from_flags({flag, value}), doctest::Contains(flag), UserError);
  CHECK_THROWS_WITH_AS(from_flags({"--norm", "both"}), "--norm: expected post or pre, not both",
                       UserError);
  CHECK_THROWS_WITH_AS(from_flags({"--d_model", "1"}), doctest::Contains("did you mean --d-model"),
                       UserError);
}

TEST_CASE("config: a wrong field is spelled as a key or as a flag where it is reported") {
  const auto refuse = [] {
    throw xf::ConfigError("heads", "3 does not divide {} 8", xf::OtherField{"d_model"});
  };
  CHECK_THROWS_WITH_AS(refuse(), "heads: 3 does not divide d_model 8", xf::ConfigError);
  CHECK_THROWS_WITH_AS(xf::as_flags(refuse), "--heads: 3 does not divide --d-model 8", UserError);
  CHECK_THROWS_WITH_AS(xf::as_keys_of("config.json", refuse),
                       "config.json: heads: 3 does not divide d_model 8", UserError);
  CHECK_THROWS_WITH_AS(xf::as_flags([] { xf::require_least("d_ff", 1, 0); }),
                       "--d-ff: must be at least 1, not 0", UserError);
  CHECK_THROWS_WITH_AS(xf::as_flags([] { xf::require_share("r_drop", 1); }),
                       "--r-drop: must be at least 0 and less than 1", UserError);
  CHECK(xf::as_flags([] { return 7; }) == 7);
}

TEST_CASE("config: the help shows every flag with its default") {
  Config config;
  CLI::App app;
  xf::add_flags(app, config);
  const std::string help = app.help();
  const auto has = [&](const std::string& part) { return help.find(part) != std::string::npos; };
  for (const std::string part : {"width of the model", "--no-tied", "(default: on)"})
    CHECK_MESSAGE(has(part), part << " in\n" << help);
  for (const auto& [flag, usual] :
       {std::pair{"--d-model INT", "512"}, {"--dropout FLOAT", "0.1"}, {"--norm TEXT", "post"}}) {
    const std::string old_form = std::string(flag) + "=" + usual;         // CLI11 2.1
    const std::string new_form = std::string(flag) + " [" + usual + "]";  // 2.4
    CHECK_MESSAGE((has(old_form) || has(new_form)), old_form << " in\n" << help);
  }
}
