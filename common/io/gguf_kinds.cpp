#include "io/gguf_kinds.hpp"

#include <utility>

#include "tensor/stored_numbers.hpp"

namespace xf {

namespace {

constexpr StoredFormat f32_kind{"F32", 4, read_each<from_f32, 4>};
constexpr std::pair<std::uint32_t, const StoredFormat*> gguf_kinds[] = {
    {0, &f32_kind},     {1, &f16_format},   {30, &bf16_format}, {2, &q4_0_format},
    {3, &q4_1_format},  {6, &q5_0_format},  {7, &q5_1_format},  {8, &q8_0_format},
    {12, &q4_k_format}, {13, &q5_k_format}, {14, &q6_k_format}};
// Kinds that are not supported, for the message.
constexpr std::pair<std::uint32_t, const char*> unread_kinds[] = {
    {9, "Q8_1"},     {10, "Q2_K"},  {11, "Q3_K"},   {15, "Q8_K"},  {16, "IQ2_XXS"}, {17, "IQ2_XS"},
    {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"}, {22, "IQ2_S"},   {23, "IQ4_XS"},
    {24, "I8"},      {25, "I16"},   {26, "I32"},    {27, "I64"},   {28, "F64"},     {29, "IQ1_M"},
    {34, "TQ1_0"},   {35, "TQ2_0"}, {39, "MXFP4"}};

}  // namespace

const StoredFormat* gguf_kind(std::uint32_t id) {
  for (const auto& [known, format] : gguf_kinds)
    if (known == id) return format;
  return nullptr;
}

std::string gguf_kind_name(std::uint32_t id) {
  if (const StoredFormat* known = gguf_kind(id)) return known->dtype;
  for (const auto& [other, name] : unread_kinds)
    if (other == id) return name;
  return std::to_string(id);
}

}  // namespace xf
