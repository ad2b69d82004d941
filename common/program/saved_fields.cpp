#include "program/saved_fields.hpp"

#include <CLI/App.hpp>

namespace xf {

namespace {

template <class Value>
bool same(const Value* a, const Value* b) {
  return *a == *b;
}
bool same(const KindField& a, const KindField& b) { return a.get() == b.get(); }

template <class Value>
void copy(const Value* from, Value* to) {
  *to = *from;
}
void copy(const KindField& from, const KindField& to) { to.take(from.name()); }

}  // namespace

UserError other_value(const std::string& flag, const std::string& path) {
  return UserError("{}: {} was made with another value", flag, path);
}

bool is_given(const CLI::App& app, const std::string& flag) {
  const CLI::Option* option = app.get_option_no_throw(flag);
  if (option == nullptr) return app.get_parent() != nullptr && is_given(*app.get_parent(), flag);
  return option->count() > 0;
}

void take_saved(const CLI::App& app, const std::vector<ConfigField>& now,
                const std::vector<ConfigField>& before, const std::string& path) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string flag = flag_name(now[i].name);
    const bool free =
        flag == "--updates" || flag == "--epochs" || flag == "--minutes" || flag == "--average";
    std::visit(
        [&](auto& value) {
          const auto& old = std::get<std::decay_t<decltype(value)>>(before[i].value);
          if (is_given(app, flag) && !free && !same(value, old)) throw other_value(flag, path);
          if (!is_given(app, flag)) copy(old, value);
        },
        now[i].value);
  }
}

}  // namespace xf
