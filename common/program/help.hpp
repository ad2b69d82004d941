#pragma once

#include <string>

namespace CLI {
class App;
}

namespace xf {

// The help of the app, or of the subcommand that was chosen, in the language of the run. Its words
// are those of common/program.zh.po.
std::string help_text(CLI::App& app);

}  // namespace xf
