#include "live/answer.hpp"

#include <optional>

#include "io/printable.hpp"
#include "live/positions.hpp"
#include "live/translation.hpp"
#include "tensor/error.hpp"

namespace xf::live {

namespace {

// What was loaded and what is being trained.
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
    return description(*model_);
  }
  Json translate(Fields& request) { return translation(model(request), request); }
  Json vocabulary(Fields& request) {
    const Translator& asked = model(request);
    request.done();
    return live::vocabulary(asked);
  }
  Json positions(Fields& request) { return live::positions(request); }
  Json matmul(Fields& request) { return matmul_speed(request); }

  const Translator& model(Fields& request) const {
    if (!model_) request.fail("no model was loaded");
    return *model_;
  }

  std::optional<Translator> model_;
};

const Live::Kind Live::kinds[] = {{"load", &Live::load},
                                  {"translate", &Live::translate},
                                  {"vocabulary", &Live::vocabulary},
                                  {"positions", &Live::positions},
                                  {"matmul", &Live::matmul}};

Json Live::answer(Fields& request) {
  const std::string what = request.text("do");
  for (const auto& [name, respond] : kinds)
    if (what == name) return (this->*respond)(request);
  std::string names;
  for (const auto& kind : kinds) names += (names.empty() ? "" : ", ") + std::string(kind.name);
  throw UserError("\"do\" is one of " + names + ", not \"" + what + "\"");
}

// The object in a request.
Json parsed(const std::string& request) {
  try {
    return Json::parse(request);
  } catch (const Json::exception&) {
    throw UserError("the request is no JSON");
  }
}

Json answered(const std::string& request) {
  static Live live;
  try {
    const Json json = parsed(request);
    const bool named = json.is_object() && json.contains("do") && json["do"].is_string();
    Fields fields(json, named ? json["do"].get<std::string>() : "the request");
    return live.answer(fields);
  } catch (const std::exception& error) {
    return {{"error", printable(error.what())}};
  }
}

}  // namespace

std::string answer(const std::string& request) {
  return answered(request).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace xf::live
