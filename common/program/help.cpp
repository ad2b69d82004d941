#include "program/help.hpp"

#include <CLI/CLI.hpp>
#include <sstream>
#include <string_view>

#include "speech/language.hpp"
#include "speech/show.hpp"

namespace xf {

namespace {

// "what it does (default: on)": the two are looked up apart.
std::string translated_help(const std::string& help) {
  static const std::string opening = " (default: ";
  const std::size_t at = help.rfind(opening);
  if (at == help.npos || help.back() != ')') return translated(help);
  const std::size_t from = at + opening.size();
  const std::string value = help.substr(from, help.size() - from - 1);
  const std::string meaning = translated(help.substr(0, at));
  if (meaning == help.substr(0, at)) return help;
  return meaning + "（默认：" + translated(value) + "）";
}

}  // namespace

void choose_language(int argc, const char* const* argv) {
  std::string_view asked;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--language" && i + 1 < argc) asked = argv[i + 1];
    if (word.starts_with("--language=")) asked = word.substr(11);
  }
  set_language(asked == "zh"   ? Language::zh
               : asked == "en" ? Language::en
                               : language_of_environment());
}

namespace {

void translate_help(CLI::App& app) {
  app.description(translated(app.get_description()));
  for (const char* label : {"Usage", "OPTIONS", "SUBCOMMAND", "SUBCOMMANDS", "REQUIRED"})
    app.get_formatter()->label(label, translated(label));
  for (CLI::Option* option : app.get_options()) {
    option->description(translated_help(option->get_description()));
    option->group(translated(option->get_group()));
    const std::string value = option->get_default_str();
    if (const std::string shown = translated(value); shown != value) option->default_str(shown);
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    translate_help(*command);
    command->group(translated(command->get_group()));
  }
}

// The meanings of flags begin in one column; CLI11 counts the bytes before them.
std::string aligned(const std::string& help, std::size_t column) {
  std::istringstream lines(help);
  std::string text;
  for (std::string line; std::getline(lines, line); text += line + '\n') {
    if (line.size() <= column || !line.starts_with("  ") || line[column - 1] != ' ') continue;
    const int width = display_width(line.substr(0, column));
    line.insert(column, column - static_cast<std::size_t>(width), ' ');
  }
  return text;
}

}  // namespace

std::string help_text(CLI::App& app, bool all) {
  translate_help(app);
  const auto mode = all ? CLI::AppFormatMode::All : CLI::AppFormatMode::Normal;
  return aligned(app.help("", mode), app.get_formatter()->get_column_width());
}

}  // namespace xf
