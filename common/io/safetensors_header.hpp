#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "language/language.hpp"

namespace xf {

// One member of the header's object: the name of a tensor, or __metadata__, and its value.
using HeaderMember = std::function<void(const std::string& name, const nlohmann::json& value)>;
// Called for an invalid header; must throw.
using HeaderProblem = std::function<void(const Phrase& problem)>;

// Reads the header of a safetensors file member by member, in linear time and in the memory of one
// member. `fail`, which must throw, is called unless the header is a JSON object of JSON objects,
// for a name that occurs twice, and for what no valid file contains: more than two levels inside a
// member, a member of more than 65536 values, a tensor of more than 64.
void read_header(std::string_view text, const HeaderMember& member, const HeaderProblem& fail);

}  // namespace xf
