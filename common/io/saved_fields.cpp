#include "io/saved_fields.hpp"

#include <CLI/CLI.hpp>

namespace xf {

bool given(const CLI::App& app, const std::string& flag) {
  const CLI::Option* option = app.get_option_no_throw(flag);
  return option != nullptr && option->count() > 0;
}

void take_saved(const CLI::App& app, const std::vector<ConfigField>& now,
                const std::vector<ConfigField>& before, const std::string& path) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string flag = flag_name(now[i].name);
    const bool free =
        flag == "--updates" || flag == "--epochs" || flag == "--minutes" || flag == "--average";
    std::visit(
        [&](auto* value) {
          const auto old = *std::get<decltype(value)>(before[i].value);
          if (given(app, flag) && !free && *value != old)
            throw UserError(flag + ": " + path + " was made with another value");
          if (!given(app, flag)) *value = old;
        },
        now[i].value);
  }
}

}  // namespace xf
