#pragma once

#include <string>

namespace CLI {
class App;
}

namespace xf {

// The help of the app, or of the chosen subcommand, in the language of the run. The translations
// are in common/program.zh.po.
std::string help_text(CLI::App& app);

}  // namespace xf
