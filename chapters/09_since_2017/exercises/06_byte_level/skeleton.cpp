#include "exercise.hpp"

namespace xf::exercise {

Tokens byte_characters() {
  TODO("09-06: chapters/09_since_2017/exercises/06_byte_level/exercise.cpp");
}

std::vector<Merge> read_merges(const std::string& text) {
  TODO("09-06: chapters/09_since_2017/exercises/06_byte_level/exercise.cpp");
}

Tokens encode(const std::string& word, const std::vector<Merge>& merges) {
  TODO("09-06: chapters/09_since_2017/exercises/06_byte_level/exercise.cpp");
}

std::string decode(const Tokens& tokens) {
  TODO("09-06: chapters/09_since_2017/exercises/06_byte_level/exercise.cpp");
}

}  // namespace xf::exercise
