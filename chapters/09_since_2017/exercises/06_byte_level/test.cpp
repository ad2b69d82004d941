#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

using exercise::Merge, exercise::Tokens;

// The number of the one character that this is; -1 where it is none, or several.
float number_of(const std::string& text) {
  for (int number = 0; number < 2048; ++number)
    if (text == exercise::utf8(number)) return static_cast<float>(number);
  return -1;
}

Tensor numbers_of(const Tokens& characters) {
  std::vector<float> numbers;
  for (const std::string& character : characters) numbers.push_back(number_of(character));
  return Tensor::from({static_cast<int>(numbers.size())}, numbers);
}

// "3: a|b|c", so that one token "b|c" is another text.
std::string listed(const Tokens& tokens) {
  std::string text;
  for (const std::string& token : tokens) text += (text.empty() ? "" : "|") + token;
  return std::to_string(tokens.size()) + ": " + text;
}

// "2: l o|lo w"
std::string listed(const std::vector<Merge>& merges) {
  Tokens all;
  for (const Merge& merge : merges) all.push_back(merge.first + " " + merge.second);
  return listed(all);
}

Tensor bytes_of(const std::string& text) {
  std::vector<float> numbers;
  for (char byte : text) numbers.push_back(static_cast<unsigned char>(byte));
  return Tensor::from({static_cast<int>(numbers.size())}, numbers);
}

// The characters that do not print, as GPT-2's code lists them: 0 to 32, 127 to 160, 173.
std::string character(int byte) {
  const bool hidden = byte <= 32 || (byte >= 127 && byte <= 160) || byte == 173;
  if (!hidden) return exercise::utf8(byte);
  return exercise::utf8(256 + (byte <= 32 ? byte : byte <= 160 ? 33 + byte - 127 : 67));
}

// A word as one text with a bar between its tokens, each merge a replacement in the text. No token
// of the tests has the character of a bar.
std::string replaced(std::string text, const Merge& merge) {
  const std::string old = "|" + merge.first + "|" + merge.second + "|";
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + 1))
    text.replace(at, old.size(), "|" + merge.first + merge.second + "|");
  return text;
}

Tokens encoded(const std::string& word, const std::vector<Merge>& merges) {
  std::string text = "|";
  for (char byte : word) text += character(static_cast<unsigned char>(byte)) + "|";
  for (std::size_t rank = 0; rank < merges.size();) {
    const std::string next = replaced(text, merges[rank]);
    rank = next == text ? rank + 1 : 0;
    text = next;
  }
  Tokens tokens;
  for (std::size_t at = 1; at < text.size(); at = text.find('|', at) + 1)
    tokens.push_back(text.substr(at, text.find('|', at) - at));
  return tokens;
}

// With XF_SALT, other letters.
std::string given(std::string word) {
  for (char& byte : word)
    if (byte >= 'a' && byte <= 'z')
      byte = static_cast<char>('a' + (byte - 'a' + int(exercise::salted(0) % 11)) % 26);
  return word;
}

std::vector<Merge> given(const std::vector<Merge>& usual) {
  std::vector<Merge> merges;
  for (const Merge& merge : usual) merges.emplace_back(given(merge.first), given(merge.second));
  return merges;
}

const std::vector<Merge> low = {{"l", "o"},  {"lo", "w"}, {"Ġ", "low"}, {"e", "s"},
                                {"es", "t"}, {"e", "r"},  {"Ã", "©"}};

constexpr int letters = 4;  // a to d

// Merges of letters and of what merges before them give.
std::vector<Merge> drawn_merges(int count) {
  Random random(exercise::salted(962));
  Tokens pieces;
  for (int i = 0; i < letters; ++i) pieces.emplace_back(1, static_cast<char>('a' + i));
  const auto any = [&] { return pieces[std::size_t(random.below(int(pieces.size())))]; };
  std::vector<Merge> merges;
  while (int(merges.size()) < count) {
    const Merge merge(any(), any());
    if (std::count(merges.begin(), merges.end(), merge) > 0) continue;
    merges.push_back(merge);
    pieces.push_back(merge.first + merge.second);
  }
  return merges;
}

void check(const std::string& usual, const std::vector<Merge>& usual_merges) {
  const std::string word = given(usual);
  const std::vector<Merge> merges = given(usual_merges);
  COMPARE_TEXT("how many tokens, and each, of '" + usual + "'", listed(encoded(word, merges)),
               listed(exercise::encode(word, merges)));
}

}  // namespace

TEST_CASE("each byte has a printable character") {
  const auto wanted = [] {
    Tokens all;
    for (int byte = 0; byte < 256; ++byte) all.push_back(character(byte));
    return all;
  };
  COMPARE("the number of each byte's character", numbers_of(wanted()),
          numbers_of(exercise::byte_characters()));
}

TEST_CASE("a published file of merges") {
  const std::vector<Merge> usual = {{"l", "o"}, {"#", "#"}, {"lo", "w"}, {"#v", "e"}, {"Ġ", "low"}};
  const std::vector<Merge> merges = given(usual);
  std::string file;
  for (const Merge& merge : merges)
    file += merge.first + " " + merge.second + (merge.first == "#" ? "\n\n" : "\n");
  COMPARE_TEXT("how many merges, and each, with a version", listed(merges),
               listed(exercise::read_merges("#version: 0.2\n" + file)));
  COMPARE_TEXT("how many merges, and each, without", listed(merges),
               listed(exercise::read_merges(file)));
  const std::vector<Merge> many = drawn_merges(exercise::given(20, 20, 60));
  std::string longer;
  for (const Merge& merge : many) longer += merge.first + " " + merge.second + "\n";
  COMPARE_TEXT("how many merges, and each, of a longer file", listed(many),
               listed(exercise::read_merges("#version: 0.2\n" + longer)));
  const std::vector<Merge> sign_first = {{"#", "#"}, merges[0]};
  COMPARE_TEXT("how many merges, and each, without, the first is # #", listed(sign_first),
               listed(exercise::read_merges("# #\n" + merges[0].first + " " + merges[0].second)));
}

TEST_CASE("the merge that comes first in the list is applied first") {
  for (const char* word : {"low", " lower", " lowest", "slow"}) check(word, low);
  for (const char* word : {"abcab", "bcabc", "cabab"})
    check(word, {{"b", "c"}, {"a", "b"}, {"c", "ab"}, {"a", "bc"}});
  for (const char* word : {"aaaa", "aaaaaaa"}) check(word, {{"a", "a"}, {"aa", "aa"}});
  check("abcabc", {{"ab", "c"}, {"a", "b"}, {"abc", "abc"}});
  Random random(exercise::salted(961));
  std::vector<Merge> drawn = {{"a", "b"}, {"b", "a"},   {"ab", "a"}, {"a", "a"},
                              {"b", "b"}, {"ba", "ab"}, {"ab", "ab"}};
  random.shuffle(drawn.begin(), drawn.end());
  for (const char* which : {"one", "another", "a third"}) {
    std::string word;
    for (int i = 0; i < 9; ++i) word += random.below(2) ? 'a' : 'b';
    COMPARE_TEXT(std::string("how many tokens, and each, of a drawn word, ") + which,
                 listed(encoded(word, drawn)), listed(exercise::encode(word, drawn)));
  }
  // So far down the list that 8 bits count only some of them.
  const std::vector<Merge> drawn_ones = drawn_merges(exercise::given(12, 12, 40));
  std::vector<Merge> many;
  for (int i = 0; i < 250; ++i) many.emplace_back("-", std::to_string(i));
  many.insert(many.end(), drawn_ones.begin(), drawn_ones.end());
  for (const char* which : {"one", "another"}) {
    std::string word;
    for (int i = exercise::given(24, 24, 40); i > 0; --i)
      word += static_cast<char>('a' + random.below(letters));
    COMPARE_TEXT(std::string("how many tokens, and each, of a long drawn word, ") + which,
                 listed(encoded(word, many)), listed(exercise::encode(word, many)));
  }
}

TEST_CASE("beyond English letters: line breaks, accents, other scripts") {
  for (const char* word : {" é", "你", "\n\t", "x\x7f\xc2\xad"}) check(word, low);
}

TEST_CASE("an empty word has no tokens") { check("", low); }

TEST_CASE("the tokens give the bytes back") {
  const std::string word = given(" lowest é");
  const Tokens tokens = encoded(word, given({{"l", "o"}, {"Ġ", "lo"}, {"Ã", "©"}}));
  COMPARE_TEXT("the bytes of ' lowest é'", word, exercise::decode(tokens));
  std::string all;
  Tokens characters;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
    characters.push_back(character(byte));
  }
  COMPARE("all 256 bytes", bytes_of(all), bytes_of(exercise::decode(characters)));
}
