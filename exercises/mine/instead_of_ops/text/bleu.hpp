#pragma once

#include "common/text/bleu.hpp"

namespace xf::mine {

Bleu bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
          const BleuOptions& options = {});

}  // namespace xf::mine

#define bleu(...) mine::bleu(__VA_ARGS__)
