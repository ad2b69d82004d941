#include "program/help.hpp"

#include <CLI/CLI.hpp>

#include "language/language.hpp"
#include "speech/terminal.hpp"

namespace xf {

namespace {

// "what it does (default: on)": translates the two parts separately.
std::string translated_meaning(const std::string& help) {
  static const std::string opening = " (default: ";
  const std::size_t at = help.rfind(opening);
  if (at == help.npos || help.back() != ')') return translated(help);
  const std::size_t from = at + opening.size();
  const std::string value = help.substr(from, help.size() - from - 1);
  const std::string meaning = translated(help.substr(0, at));
  if (meaning == help.substr(0, at)) return help;
  return meaning + "（默认：" + translated(value) + "）";
}

// Aligns the descriptions in one column; CLI11 counts bytes, not columns.
class Help : public CLI::Formatter {
 public:
  Help() {
    for (const char* word : {"Usage", "OPTIONS", "SUBCOMMAND", "REQUIRED"})
      label(word, translated(word));
  }

  std::string make_description(const CLI::App* app) const override {
    return translated(app->get_description()) + '\n';
  }

  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override {
    return Formatter::make_group(translated(group), positional, std::move(options));
  }

  std::string make_option(const CLI::Option* option, bool positional) const override {
    return row(make_option_name(option, positional) + make_option_opts(option),
               translated_meaning(option->get_description()));
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text = Formatter::make_option_opts(option);
    const std::string value = option->get_default_str();
    if (const std::size_t at = text.find('=' + value); at != text.npos)
      text.replace(at + 1, value.size(), translated(value));
    return text;
  }

  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode) const override {
    std::string text;
    for (const CLI::App* command : app->get_subcommands({}))
      text += row(command->get_name(), translated(command->get_description()));
    return text.empty() ? text : '\n' + translated("Subcommands") + ":\n" + text;
  }

 private:
  std::string row(const std::string& name, const std::string& meaning) const {
    const int blanks = static_cast<int>(get_column_width()) - display_width("  " + name);
    const std::string gap = blanks > 0 ? std::string(static_cast<std::size_t>(blanks), ' ')
                                       : '\n' + std::string(get_column_width(), ' ');
    std::string text = "  " + name, before = gap;
    const int left = terminal_width() - static_cast<int>(get_column_width());
    for (const std::string& line : wrapped(meaning, left)) {
      if (!line.empty()) text += before + line;
      before = '\n' + std::string(get_column_width(), ' ');
    }
    return text + '\n';
  }
};

}  // namespace

std::string help_text(CLI::App& app) {
  const auto help = std::make_shared<Help>();
  app.formatter(help);
  for (CLI::App* chosen : app.get_subcommands()) chosen->formatter(help);
  return app.help();
}

}  // namespace xf
