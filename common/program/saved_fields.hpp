#pragma once

#include <string>
#include <vector>

#include "io/config.hpp"

namespace CLI {
class App;
}

namespace xf {

// For a run that goes on with what it was started with. Every field of `now` takes the value that
// it has in `before` (the same config as it was saved), unless its flag was given to `app`. What is
// given again must agree, but for the limits --updates, --epochs and --minutes, and for --average,
// which changes no step of the training: throws UserError naming the flag and the file at `path`,
// which they come from.
void take_saved(const CLI::App& app, const std::vector<ConfigField>& now,
                const std::vector<ConfigField>& before, const std::string& path);

// "--heads: out/checkpoint.safetensors was made with another value"
UserError other_value(const std::string& flag, const std::string& path);

// Was the flag given to this (sub)command, or to the program?
bool is_given(const CLI::App& app, const std::string& flag);

}  // namespace xf
