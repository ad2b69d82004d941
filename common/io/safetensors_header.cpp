#include "io/safetensors_header.hpp"

#include <set>
#include <vector>

namespace xf {

namespace {

using Json = nlohmann::json;

constexpr std::size_t deepest = 2;  // {"w": {"shape": [
constexpr int max_in_tensor = 64, max_in_metadata = 1 << 16;

// Builds one member at a time from the parser's events.
class Members : public nlohmann::json_sax<Json> {
 public:
  Members(const HeaderMember& member, const HeaderProblem& fail) : member_(member), fail_(fail) {}

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override {
    if (inside_) return open(Json::object());
    return inside_ = true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    std::set<std::string>& known = stack_.empty() ? names_ : keys_;
    // Objects inside a member are ignored, and so are their keys.
    if (stack_.size() < 2 && !known.insert(name).second) fail_(words("{} occurs twice", name));
    (stack_.empty() ? name_ : key_) = std::move(name);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  // Stores the value; the returned address is valid until the enclosing array or object grows.
  Json* place(Json value) {
    if (!inside_) fail_("the header is not a JSON object");
    if (stack_.empty()) {
      if (!value.is_object())
        fail_(name_ == "__metadata__" ? words("{} is not a JSON object", name_)
                                      : words("{} is not described by a JSON object", name_));
      keys_.clear();
      values_ = 0;
      whole_ = std::move(value);
      return &whole_;
    }
    if (++values_ > (name_ == "__metadata__" ? max_in_metadata : max_in_tensor))
      fail_(words("{} has too many values", name_));
    if (stack_.back()->is_array()) return &stack_.back()->emplace_back(std::move(value));
    return &((*stack_.back())[key_] = std::move(value));
  }

  bool open(Json value) {
    if (stack_.size() == deepest) fail_(words("{} is nested too deeply", name_));
    stack_.push_back(place(std::move(value)));
    return true;
  }

  bool close() {
    if (stack_.empty()) return true;  // the header's own object
    stack_.pop_back();
    if (stack_.empty()) member_(name_, whole_);
    return true;
  }

  const HeaderMember& member_;
  const HeaderProblem& fail_;
  bool inside_ = false;  // in the header's own object?
  std::string name_, key_;
  std::set<std::string> names_, keys_;  // of the header; of the member
  Json whole_;                          // the member
  std::vector<Json*> stack_;            // its open objects and arrays
  int values_ = 0;
};

}  // namespace

void read_header(std::string_view text, const HeaderMember& member, const HeaderProblem& fail) {
  const std::size_t end = text.find_last_not_of(' ') + 1;
  // The parser would take a NUL for the end, and ignore white space of any kind.
  const bool clean = end > 0 && text[end - 1] > ' ' && text.find('\0') == std::string_view::npos;
  Members members(member, fail);
  if (!clean || !Json::sax_parse(text.substr(0, end), &members)) fail("the header is not JSON");
}

}  // namespace xf
