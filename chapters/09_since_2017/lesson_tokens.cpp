#include "09_since_2017/lesson.hpp"
#include "09_since_2017/sampling.hpp"
#include "speech/show.hpp"
#include "text/byte_merges.hpp"
#include "text/word_pieces.hpp"

namespace xf::since_2017 {

namespace {

// The 256 bytes as tokens, and one token for each merge.
struct SmallTokenizer {
  std::vector<std::string> tokens;
  ByteMerges merges;

  explicit SmallTokenizer(const std::vector<ByteMerges::Pair>& list)
      : tokens(tokens_of(list)), merges(TokenTable(tokens), list, {}, "lesson") {}

  static std::vector<std::string> tokens_of(const std::vector<ByteMerges::Pair>& list) {
    std::vector<std::string> all;
    for (int byte = 0; byte < 256; ++byte)
      all.push_back(ByteMerges::written(std::string(1, static_cast<char>(byte))));
    for (const auto& [left, right] : list) all.push_back(left + right);
    return all;
  }
};

}  // namespace

void bytes_section() {
  section("A vocabulary that begins with bytes");
  say("Chapter 7's pieces start as single characters, and a character that did not occur in the "
      "training text is unknown. GPT-2's pieces start as the 256 possible bytes, so nothing is "
      "unknown. Its files represent each byte by a printable character; the space, for example, "
      "becomes Ġ. A rule first splits the text into words. Within each word, the adjacent pair "
      "whose merge comes earliest in the list is joined, and this is repeated until no merge "
      "applies. Let the list of merges be");
  const std::vector<ByteMerges::Pair> list = {{"l", "o"}, {"lo", "w"}, {"Ġ", "low"},
                                              {"e", "s"}, {"es", "t"}, {"e", "r"}};
  std::string lines;
  for (const auto& [left, right] : list) lines += left + " " + right + "\n";
  lines.pop_back();
  quote(lines);
  const SmallTokenizer small(list);
  const std::string text = "low lower lowest é 你";
  Table table({"word", "tokens"});
  std::string joined;
  std::size_t count = 0;
  for (const std::string_view piece : cut(text, {CutRule::Kind::gpt2})) {
    std::string tokens;
    for (const int id : small.merges.encode(piece)) {
      tokens += (tokens.empty() ? "" : " ") + small.tokens[static_cast<std::size_t>(id)];
      joined += small.tokens[static_cast<std::size_t>(id)];
      ++count;
    }
    table.row({ByteMerges::written(piece), tokens});
  }
  table.print();
  claim(ByteMerges::bytes(joined) == text, "the joined tokens are the text, byte for byte");
  claim(count < text.size(), "there are fewer tokens than bytes");
  finding("Byte-level pieces: any text can be cut into tokens, and the tokens give it back.");
}

void choice_section() {
  section("Which token is next");
  say("The softmax turns logits into probabilities, and a token is drawn. Three settings change "
      "the draw. A temperature divides the logits. Top-k keeps only the k largest probabilities. "
      "Top-p keeps the fewest that together reach p (Holtzman et al. 2020).");
  const Tensor logits = Tensor::from({5}, {2, 1, 0.5f, 0, -1});
  const std::vector<std::pair<Phrase, TokenChoice>> settings = {
      {"temperature 1", {}},
      {"temperature 0.5", {.temperature = 0.5}},
      {"temperature 2", {.temperature = 2}},
      {"top-k 2", {.top_k = 2}},
      {"top-p 0.8", {.top_p = 0.8}},
      {"temperature 0", {.temperature = 0}}};
  Table table({"setting", "z = 2", "1", "0.5", "0", "-1"});
  std::vector<Choices> all;
  double furthest = 0;
  for (const auto& [name, how] : settings) {
    all.push_back(choices(logits.values(), how));
    std::vector<Phrase> row = {name};
    double sum = 0;
    for (const double p : all.back().p) row.push_back(fixed(p, 3)), sum += p;
    furthest = std::max(furthest, std::abs(sum - 1));
    row.resize(6, "-");
    table.row(row);
  }
  table.print();
  claim(furthest < 1e-12, "what is left always sums to 1");
  claim(all[1].p[0] > all[0].p[0] && all[2].p[0] < all[0].p[0],
        "below 1 the temperature sharpens, above 1 it flattens");
  claim(all[3].ids.size() == 2 && all[4].ids.size() == 3 && all[5].ids.size() == 1,
        "top-k keeps 2, top-p 3, temperature 0 one");
  finding("Temperature, top-k and top-p set how much of the distribution may be drawn from.");
}

}  // namespace xf::since_2017
