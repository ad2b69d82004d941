#pragma once

#include <string>

namespace CLI {
class App;
}

namespace xf {

// The language that the command line asks for (--language), or that of the terminal: help and
// errors need it before the command line has been read.
void choose_language(int argc, const char* const* argv);

// The help of the app, or of it and all its subcommands, in the language of the run. Its words are
// those of common/program.zh.po, into which the app's own are changed.
std::string help_text(CLI::App& app, bool all = false);

}  // namespace xf
