#include "io/json_object.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "io/files.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"

namespace xf {

namespace {

using Json = nlohmann::json;

constexpr int deepest = 32;

// Rejects string literals of more than 64 KiB: the parser copies each several times, and no token
// or name is that long.
void check_texts(std::string_view json, const std::string& path) {
  constexpr std::size_t longest = std::size_t{1} << 16;
  for (std::size_t at = json.find('"'); at != json.npos; at = json.find('"', at + 1)) {
    const std::size_t begin = at++;
    while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
    if (at - begin > longest) throw UserError("{}: a string of more than {} bytes", path, longest);
  }
}

// Tracks the parser: the open objects, the memory used, and the keys of each open object.
class Rules {
 public:
  Rules(std::string_view text, const std::string& path, const std::vector<JsonObject::Taken>& taken)
      : path_(path), taken_(taken), left_(2.0 * double(text.size()) + (1 << 20)) {}

  // Should the parser keep what it has just parsed?
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > deepest) throw UserError("{}: nested too deeply", path_);
    switch (event) {
      case Json::parse_event_t::key:
        return key(parsed.get_ref<const std::string&>());
      case Json::parse_event_t::object_start:
      case Json::parse_event_t::array_start:
        return start(event == Json::parse_event_t::object_start);
      case Json::parse_event_t::object_end:
      case Json::parse_event_t::array_end:
        return end(parsed);
      case Json::parse_event_t::value:
        return value(parsed);
    }
    return true;
  }

 private:
  struct Open {
    std::string key;  // the last one read
    bool is_object;
    const JsonObject::Taken* taken;
    double left;  // left_ when it began
    std::size_t members = 0;
    std::set<std::string> keys = {};
  };

  bool key(const std::string& name) {
    Open& in = open_.back();
    in.key = name;
    if (in.taken) return in.taken->objects;
    keep(node + double(name.size()));
    if (in.keys.insert(name).second) return true;
    throw UserError("{}: the key \"{}\" occurs twice", path_, shortened(name));
  }

  bool start(bool is_object) {
    if (!open_.empty() && open_.back().taken && open_.back().is_object &&
        !open_.back().taken->objects) {
      const Open& in = open_.back();
      throw UserError("{}: {}: a list or an object where none is expected", path_,
                      in.taken->at + (in.taken->at.empty() ? "" : ".") + shortened(in.key));
    }
    const auto found = std::find_if(taken_.begin(), taken_.end(),
                                    [&](const auto& taken) { return is_here(taken.at); });
    open_.push_back({"", is_object, found == taken_.end() ? nullptr : &*found, left_});
    return true;
  }

  // Is `at` the path of the value that begins here?
  bool is_here(std::string_view at) const {
    for (const Open& in : open_) {
      const std::string_view key = at.substr(0, at.find('.'));
      if (at.empty() || !in.is_object || in.key != key) return false;
      at.remove_prefix(std::min(at.size(), key.size() + 1));
    }
    return at.empty();
  }

  bool end(const Json& parsed) {
    const double before = open_.back().left;
    open_.pop_back();
    const bool kept = value(parsed);
    if (!kept) left_ = before;
    return kept;
  }

  bool value(const Json& parsed) {
    if (open_.empty()) return true;
    Open& in = open_.back();
    if (in.taken) {
      in.taken->take(in.is_object ? in.key : std::to_string(in.members++), parsed);
      return in.is_object && !in.taken->objects;  // if so, its key was dropped already
    }
    const bool text = parsed.is_string();
    keep(element + (parsed.is_structured() ? node : 0) +
         (text ? double(parsed.get_ref<const std::string&>().size()) : 0));
    return true;
  }

  // Estimated bytes: of a value in a growing list; of a list, object or key, here and in the JSON.
  static constexpr double element = 48, node = 144;
  void keep(double bytes) {
    left_ -= bytes;
    if (left_ < 0) throw UserError("{}: more keys and values than can be kept", path_);
  }

  const std::string& path_;
  const std::vector<JsonObject::Taken>& taken_;
  double left_;
  std::vector<Open> open_;
};

}  // namespace

std::string JsonObject::content(const std::string& path, std::size_t max_bytes) {
  const std::size_t size = InputFile(path).size();
  if (size > max_bytes)
    throw UserError("{}: {} bytes; at most {} can be read", path, size, max_bytes);
  return read_file(path);
}

JsonObject JsonObject::read(const std::string& path, std::size_t max_bytes,
                            const std::vector<Taken>& taken) {
  return parse(content(path, max_bytes), path, taken);
}

JsonObject JsonObject::parse(std::string_view text, const std::string& path,
                             const std::vector<Taken>& taken) {
  const auto line = [&](std::size_t byte) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
    return words("line {} is not JSON", 1 + std::count(text.begin(), end, '\n'));
  };
  if (const std::size_t nul = text.find('\0'); nul != text.npos)  // the parser would stop there
    throw UserError("{}: {}", path, line(nul));
  check_texts(text, path);
  try {
    // The parser copies its callback, hence the shared state.
    const auto rules = [follow = std::make_shared<Rules>(text, path, taken)](
                           int depth, Json::parse_event_t event, const Json& parsed) {
      return (*follow)(depth, event, parsed);
    };
    auto json = std::make_shared<const Json>(Json::parse(text, rules));
    if (!json->is_object()) throw UserError("{}: not a JSON object {{...}}", path);
    return {std::move(json), path, ""};
  } catch (const Json::parse_error& error) {
    throw UserError("{}: {}", path, line(error.byte));
  } catch (const Json::exception&) {  // a number out of range
    throw UserError("{}: not JSON", path);
  }
}

void JsonObject::fail(const std::string& key, const Phrase& problem) const {
  throw UserError("{}: {}: {}", path_, prefix_ + key, problem);
}

const Json* JsonObject::find(const std::string& key) const {
  const auto found = json_->find(key);
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

const Json& JsonObject::need(const std::string& key) const {
  if (const Json* value = find(key)) return *value;
  fail(key, "the key is missing");
}

const Json& JsonObject::need(const std::string& key, const Kind& kind) const {
  return checked(need(key), key, kind);
}

const Json& JsonObject::checked(const Json& value, const std::string& key, const Kind& kind) const {
  if (!(value.*kind.holds)())
    fail(key, words("expected {}, not {}", kind.name, shortened(value.dump())));
  return value;
}

int JsonObject::integer(const std::string& key, int least) const {
  return integer_of(need(key), least, path_ + ": " + prefix_ + key);
}

bool JsonObject::is_integer(const Json& value, int least) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(most)) return false;
  return value.is_number_integer() && value.get<std::int64_t>() >= least &&
         value.get<std::int64_t>() <= most;
}

int JsonObject::integer_of(const Json& value, int least, const std::string& name) {
  if (is_integer(value, least)) return value.get<int>();
  throw UserError("{}: expected an integer of at least {}, not {}", name, least,
                  shortened(value.dump()));
}

JsonObject JsonObject::inner(const Json& value, const std::string& place) const {
  checked(value, place, an_object);
  return {std::shared_ptr<const Json>(json_, &value), path_, prefix_ + place + "."};
}

JsonObject JsonObject::element(const std::string& key, std::size_t i) const {
  return inner(need(key).at(i), key + "[" + std::to_string(i) + "]");
}

JsonObject JsonObject::taken(const Json& value, const std::string& path, const std::string& place) {
  const auto json = std::make_shared<const Json>(value);
  return JsonObject(json, path, "").inner(*json, place);
}

std::vector<int> JsonObject::integers(const std::string& key) const {
  const Json* value = find(key);
  if (!value) return {};
  if (is_integer(*value, 0)) return {value->get<int>()};
  for (const Json& each : checked(*value, key, a_list))
    if (!is_integer(each, 0))
      fail(key, words("expected integers of at least 0, not {}", shortened(each.dump())));
  return value->get<std::vector<int>>();
}

}  // namespace xf
