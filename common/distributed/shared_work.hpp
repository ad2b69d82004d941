#pragma once

#include <functional>
#include <string>
#include <vector>

namespace xf {

// The results of work(0) ... work(pieces - 1), in every process: each computes a share of them, on
// its threads, and receives the rest. All must call it, with the same number of pieces.
std::vector<std::vector<double>> share_numbers(int pieces,
                                               const std::function<std::vector<double>(int)>& work);
std::vector<std::vector<std::string>> share_texts(
    int pieces, const std::function<std::vector<std::string>(int)>& work);

}  // namespace xf
