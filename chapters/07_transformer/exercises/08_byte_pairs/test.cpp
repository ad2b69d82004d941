#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using exercise::Merge, exercise::Pieces;
using Counts = std::map<std::string, int>;

std::string listed(const Pieces& pieces) {
  std::string text = std::to_string(pieces.size()) + ":";
  for (const std::string& piece : pieces) text += " " + piece;
  return text;
}

std::string listed(const std::vector<Merge>& merges) {
  std::string text = std::to_string(merges.size()) + ":";
  for (const Merge& merge : merges) text += " (" + merge.first + ", " + merge.second + ")";
  return text;
}

// A word as one text with a bar between its pieces, each merge a replacement in the text.
std::string barred(const std::string& word) {
  std::string text = "|";
  for (char byte : word) text += std::string(1, byte) + "|";
  return text + "</w>|";
}

std::string replaced(std::string text, const Merge& merge) {
  const std::string old = "|" + merge.first + "|" + merge.second + "|";
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + 1))
    text.replace(at, old.size(), "|" + merge.first + merge.second + "|");
  return text;
}

Pieces split(const std::string& text) {
  Pieces pieces;
  for (std::size_t at = 1; at < text.size(); at = text.find('|', at) + 1)
    pieces.push_back(text.substr(at, text.find('|', at) - at));
  return pieces;
}

std::vector<Merge> learned(const Counts& counts, int merges) {
  std::vector<std::pair<std::string, int>> texts;
  for (const auto& [word, count] : counts) texts.emplace_back(barred(word), count);
  std::vector<Merge> found;
  for (int n = 0; n < merges; ++n) {
    std::vector<std::pair<int, Merge>> pairs;  // minus the count: the smallest is wanted
    for (const auto& [text, count] : texts) {
      const Pieces pieces = split(text);
      for (std::size_t i = 1; i < pieces.size(); ++i) {
        const Merge pair(pieces[i - 1], pieces[i]);
        auto known = std::find_if(pairs.begin(), pairs.end(),
                                  [&](const auto& each) { return each.second == pair; });
        if (known == pairs.end()) known = pairs.insert(pairs.end(), {0, pair});
        known->first -= count;
      }
    }
    if (pairs.empty()) break;
    found.push_back(std::min_element(pairs.begin(), pairs.end())->second);
    for (auto& [text, count] : texts) text = replaced(text, found.back());
  }
  return found;
}

Pieces applied(const std::string& word, const std::vector<Merge>& merges) {
  std::string text = barred(word);
  for (std::size_t rank = 0; rank < merges.size();) {
    const std::string next = replaced(text, merges[rank]);
    rank = next == text ? rank + 1 : 0;
    text = next;
  }
  return split(text);
}

// With XF_SALT, other letters.
std::string given(std::string word) {
  for (char& byte : word)
    if (byte >= 'a' && byte <= 'z')
      byte = static_cast<char>('a' + (byte - 'a' + int(exercise::salted(0) % 11)) % 26);
  return word;
}

Counts given(const Counts& usual) {
  Random random(exercise::salted(usual.size()));
  Counts counts;
  for (const auto& [word, count] : usual)
    counts[given(word)] = exercise::salted(0) == 0 ? count : 1 + random.below(12);
  return counts;
}

const Counts sennrich = {{"low", 5}, {"lower", 2}, {"newest", 6}, {"widest", 3}};
const Counts repeats = {{"banana", 2}, {"aaaaa", 3}, {"abab", 1}, {"nab", 4}, {"ananas", 2}};

void check_merges(const std::string& what, const Counts& counts, int usual_merges) {
  const int merges = exercise::given(usual_merges, usual_merges, usual_merges + 20);
  COMPARE_TEXT("how many merges, and each, " + what, listed(learned(counts, merges)),
               listed(exercise::learn_merges(counts, merges)));
}

void check_learned(const std::string& what, const Counts& usual, int usual_merges) {
  check_merges(what, given(usual), usual_merges);
}

void check_applied(const std::string& usual, const std::vector<Merge>& merges) {
  const std::string word = given(usual);
  COMPARE_TEXT("how many pieces, and each, of " + usual, listed(applied(word, merges)),
               listed(exercise::apply_merges(word, merges)));
}

// Words over few letters, so that pairs come again and again; with XF_SALT, over any signs, which
// never reach the bar.
std::string drawn_word(Random& random) {
  const int first = exercise::within('a', '!', 'Z'), letters = exercise::given(4, 3, 6);
  std::string word;
  for (int i = 3 + random.below(exercise::given(5, 5, 12)); i > 0; --i)
    word += static_cast<char>(first + random.below(letters));
  return word;
}

Counts drawn_words() {
  Random random(exercise::salted(781));
  Counts counts;
  const int words = exercise::given(12, 12, 30), most = exercise::given(9, 9, 900);
  for (int i = 0; i < words; ++i) counts[drawn_word(random)] = 1 + random.below(most);
  return counts;
}

}  // namespace

TEST_CASE("the paper's words: the most frequent pair first") {
  check_learned("3 merges", sennrich, 3);
  check_learned("10 merges", sennrich, 10);
}

TEST_CASE("letters that repeat, and equal counts") {
  check_learned("6 merges of banana, aaaaa, …", repeats, 6);
  check_learned("4 merges of ababab", {{"ababab", 2}, {"ba", 5}, {"abc", 1}, {"cb", 3}}, 4);
  check_learned("8 merges of drawn words", drawn_words(), 8);
  // é, à, ù and 字 are two or three bytes, each of 128 or more: of equal counts, behind all others.
  Counts accents;
  for (const char* word : {"né", "nez", "le", "là", "la", "dé", "de", "où", "word", "字", "字w"})
    accents[given(word)] = exercise::given(3, 1, 9);
  check_merges("8 merges of words with accents", accents, 8);
}

TEST_CASE("no more merges than there are pairs") {
  check_learned("100 merges of ab, abc", {{"ab", 1}, {"abc", 2}}, 100);
}

TEST_CASE("a word is merged in the order in which the merges were learned") {
  const std::vector<Merge> merges = learned(given(sennrich), 10);
  for (const char* word : {"lowest", "newer", "widest", "slow"}) check_applied(word, merges);
  const std::vector<Merge> of_drawn = learned(drawn_words(), 8);
  Random random(exercise::salted(782));
  for (const char* which : {"one", "another", "a third"}) {
    const std::string word = drawn_word(random);
    COMPARE_TEXT(std::string("how many pieces, and each, of a drawn word, ") + which,
                 listed(applied(word, of_drawn)), listed(exercise::apply_merges(word, of_drawn)));
  }
  const Merge ab(given("a"), given("b")), bc(given("b"), given("c"));
  const Merge cab(given("c"), given("ab")), abc(given("a"), given("bc"));
  for (const char* word : {"abcab", "bcabc"}) check_applied(word, {bc, ab, cab, abc});
}

TEST_CASE("a merge is a pair, not a text: (a, bc) leaves ab and c alone") {
  const Merge aa(given("a"), given("a")), a_aa(given("a"), given("aa"));
  const Merge ab(given("a"), given("b")), bc(given("b"), given("c"));
  const Merge a_bc(given("a"), given("bc")), ab_c(given("ab"), given("c"));
  for (const char* word : {"abc", "babcb"}) check_applied(word, {ab, bc, a_bc});
  check_applied("cabc", {bc, ab, ab_c});
  check_applied("aaa", {aa, a_aa});
}

TEST_CASE("new words, with letters never seen, and runs of one letter") {
  const std::vector<Merge> merges = learned(given(repeats), 8);
  for (const char* word : {"aaa", "aaaaaaa", "nanax", "qrst"}) check_applied(word, merges);
}
