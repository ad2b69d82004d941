#include "exercise.hpp"

namespace xf::exercise {

std::vector<Merge> learn_merges(const std::map<std::string, int>& counts, int merges) {
  TODO("07-08: my/07-08_byte_pairs.cpp");
}

Pieces apply_merges(const std::string& word, const std::vector<Merge>& merges) {
  TODO("07-08: my/07-08_byte_pairs.cpp");
}

}  // namespace xf::exercise
