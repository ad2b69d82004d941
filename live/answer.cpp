#include "live/answer.hpp"

#include <map>
#include <memory>
#include <optional>

#include "io/base64.hpp"
#include "io/printable.hpp"
#include "io/safetensors.hpp"
#include "language/language.hpp"
#include "live/by_hand.hpp"
#include "live/flow.hpp"
#include "live/language.hpp"
#include "live/positions.hpp"
#include "live/saturation.hpp"
#include "live/session.hpp"
#include "live/taught.hpp"
#include "live/translation.hpp"
#include "live/unseen.hpp"
#include "tensor/error.hpp"
#include "train/progress.hpp"

namespace xf::live {

namespace {

struct Training {
  std::unique_ptr<Session> session;
  int update = 0;
};

// The loaded model and the trainings in progress.
class Live {
 public:
  Json answer(Fields& request);

 private:
  struct Kind {
    const char* name;
    Json (Live::*respond)(Fields&);
  };
  static const Kind kinds[];

  Json load(Fields& request) {
    model_ = live::load(request);
    return live::description(*model_);
  }
  Json translate(Fields& request) { return translation(subject(request), request); }
  Json tensor(Fields& request) { return tensor_of_part(subject(request), request); }
  Json taught(Fields& request) { return live::taught(subject(request), request); }
  Json broken(Fields& request) { return live::broken(subject(request), request); }
  Json bigrams(Fields& request) { return live::bigrams(request); }
  Json vocabulary(Fields& request) {
    return live::vocabulary(subject(request).translator, request);
  }
  Json positions(Fields& request) { return live::positions(request); }
  Json saturation(Fields& request) { return live::saturation(request); }
  Json by_hand(Fields& request) { return live::by_hand(request); }
  Json matmul(Fields& request) { return matmul_speed(request); }

  // {"task": "norm", "options": {...}, "seed": 1} -> {"parameters", "updates", "about": {...}}:
  // describes what `start` would begin.
  Json plan(Fields& request) { return description(*begun(request)); }
  // The same, but also starts the training: {"id", ...}
  Json start(Fields& request) {
    if (trainings_.size() == max_trainings)
      request.fail(std::to_string(max_trainings) + " trainings are going on; stop one of them");
    Training training{.session = begun(request)};
    Json answer = description(*training.session);
    answer["id"] = next_id_;
    trainings_.emplace(next_id_++, std::move(training));
    return answer;
  }

  // {"id", "n": 5} -> {"update", "losses": [...], "seconds", "finished"}
  Json steps(Fields& request) {
    Training& training = this->training(request);
    const int n = request.integer("n", 1, 1000, 1), updates = training.session->updates();
    request.done();
    const Stopwatch watch;
    Json losses = Json::array();
    for (int i = 0; i < n && training.update < updates; ++i) {
      losses.push_back(training.session->step());
      ++training.update;
    }
    return {{"update", training.update},
            {"losses", losses},
            {"seconds", watch.seconds()},
            {"finished", training.update == updates}};
  }

  // {"id"} -> {"loss"}: the loss on held-out data
  Json held_out(Fields& request) {
    Session& session = *training(request).session;
    request.done();
    return {{"loss", session.held_out()}};
  }
  // {"id"} -> {"weights_base64"}: the parameters as trained so far, as a model.safetensors
  Json weights(Fields& request) {
    Session& session = *training(request).session;
    request.done();
    return {{"weights_base64", base64(parameters_as_file(session.parameters()))}};
  }
  Json score(Fields& request) { return training(request).session->score(request); }

  Json stop(Fields& request) {
    training(request);
    const int id = request.integer("id", 1, max_id);
    request.done();
    trainings_.erase(id);
    return Json::object();
  }

  static std::unique_ptr<Session> begun(Fields& request) {
    constexpr std::unique_ptr<Session> (*begin[])(Fields, std::uint64_t) = {
        norm_session, recall_session, translator_session, neighbours_session};
    if (!request.has("task")) request.fail("\"task\" is missing");
    const int task = request.choice("task", {"norm", "recall", "translator", "neighbours"});
    const auto seed = static_cast<std::uint64_t>(request.integer("seed", 0, 1 << 30, 1));
    Fields options = request.object("options");
    request.done();
    return begin[task](options, seed);
  }
  static Json description(Session& session) {
    return {{"parameters", parameter_count(session.parameters())},
            {"updates", session.updates()},
            {"about", session.about()}};
  }

  // The training with this "id".
  Training& training(Fields& request) {
    const int id = request.integer("id", 1, max_id);
    const auto found = trainings_.find(id);
    if (found == trainings_.end()) request.fail("no training has the id " + std::to_string(id));
    return found->second;
  }

  // The model of the training with this "id", or the loaded one.
  Subject subject(Fields& request) {
    if (request.has("id")) {
      const Subject* subject = training(request).session->subject();
      if (!subject) request.fail("the training trains no translator");
      return *subject;
    }
    if (!model_) request.fail("no model was loaded");
    return {*model_};
  }

  static constexpr int max_id = 1 << 30;
  static constexpr std::size_t max_trainings = 12;

  std::optional<Translator> model_;
  std::map<int, Training> trainings_;
  int next_id_ = 1;
};

const Live::Kind Live::kinds[] = {
    {"load", &Live::load},           {"translate", &Live::translate},
    {"tensor", &Live::tensor},       {"taught", &Live::taught},
    {"broken", &Live::broken},       {"vocabulary", &Live::vocabulary},
    {"positions", &Live::positions}, {"saturation", &Live::saturation},
    {"bigrams", &Live::bigrams},     {"by_hand", &Live::by_hand},
    {"matmul", &Live::matmul},       {"plan", &Live::plan},
    {"start", &Live::start},         {"steps", &Live::steps},
    {"held_out", &Live::held_out},   {"weights", &Live::weights},
    {"score", &Live::score},         {"stop", &Live::stop}};

Json Live::answer(Fields& request) {
  const std::string what = request.text("do");
  for (const auto& [name, respond] : kinds)
    if (what == name) return (this->*respond)(request);
  std::string names;
  for (const auto& kind : kinds) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  throw UserError("\"do\" is one of " + names + ", not \"" + what + "\"");
}

// Parses a request into a JSON object.
Json parsed(const std::string& request) {
  try {
    return Json::parse(request);
  } catch (const Json::exception&) {
    throw UserError("the request is no JSON");
  }
}

// The language of error messages; removes the member from the request.
Language language_of(Json& request) {
  if (!request.is_object() || !request.contains("language")) return Language::en;
  const bool is_chinese = request["language"] == "zh";
  request.erase("language");
  return is_chinese ? Language::zh : Language::en;
}

Json answered(const std::string& request) {
  static Live live;
  set_language(Language::en);
  try {
    Json json = parsed(request);
    set_language(language_of(json));
    const bool named = json.is_object() && json.contains("do") && json["do"].is_string();
    Fields fields(json, named ? json["do"].get<std::string>() : "the request");
    return live.answer(fields);
  } catch (const std::exception& error) {
    return {{"error", printable(message_of(error).str())}};
  }
}

}  // namespace

std::string answer(const std::string& request) {
  return answered(request).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace xf::live
