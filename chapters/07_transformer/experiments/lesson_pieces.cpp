// Lesson 7, section 10: byte pair encoding by hand, compared with SentencePiece's.

#include "07_transformer/byte_pair_encoding.hpp"
#include "07_transformer/experiments/lesson.hpp"
#include "07_transformer/experiments/own_language.hpp"
#include "io/utf8.hpp"
#include "plot/diagram.hpp"
#include "speech/show.hpp"
#include "text/byte_pairs.hpp"

namespace xf::lesson_07 {

namespace {

using bpe::Merge, bpe::Pieces;
using WordCounts = std::map<std::string, int>;

// Draws which merge, counted from 1, made which piece of a word: a tree from its characters, at the
// bottom, the first of them at x, to its pieces, and a note below it.   returns the x where the
// next one may begin
double draw_tree(Diagram& diagram, const std::vector<Merge>& merges, const std::string& word,
                 const Phrase& note, double x) {
  constexpr double bottom = 216, step = 42, gap = 26, rise = 54, height = 28;
  struct Node {
    std::string text;
    double x, y;
  };
  std::vector<Node> row;
  for (const std::string& character : code_points(word)) {
    row.push_back({character, x, bottom});
    x += step;
  }
  diagram.text((row.front().x + row.back().x) / 2, bottom + height + 18, note,
               {.size = 12, .anchor = "middle", .fill = ink::grey.line});
  for (const Node& node : row) diagram.box(node.x - 17, node.y, 34, height, ink::grey, {node.text});
  for (std::size_t rank = 0; rank < merges.size(); ++rank)
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      Node &left = row[i], &right = row[i + 1];
      if (left.text != merges[rank].left || right.text != merges[rank].right) continue;
      const Node both{merges[rank].piece(), (left.x + right.x) / 2,
                      std::min(left.y, right.y) - rise};
      for (const Node& part : {left, right})
        diagram.line(part.x, part.y, both.x, both.y + height, ink::blue.line, 1.5);
      const double width = 18 + 9 * static_cast<double>(code_points(both.text).size());
      diagram.box(both.x - width / 2, both.y, width, height, ink::blue, {both.text});
      diagram.text(both.x + width / 2 + 4, both.y + height / 2, std::to_string(rank + 1),
                   {.size = 11, .fill = ink::orange.line});
      left = both;
      row.erase(row.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  return x + gap;
}

void draw_merges(const std::vector<Merge>& merges, const CommonOptions& options) {
  Diagram diagram("From characters, at the bottom, to pieces: the number is the step of the merge",
                  930, 286);
  double x = draw_tree(diagram, merges, "▁newest", "in the text 6 times", 34);
  x = draw_tree(diagram, merges, "▁lower", "in the text twice", x);
  draw_tree(diagram, merges, "▁lowest", "not in the text", x);
  write_picture(options, "merges.svg", diagram.file());
}

void the_papers_words(const CommonOptions& options) {
  const WordCounts words = {{"▁low", 5}, {"▁lower", 2}, {"▁newest", 6}, {"▁widest", 3}};
  std::string line;
  for (const auto& [word, count] : words)
    line += (line.empty() ? "" : "   ") + word + " " + std::to_string(count);
  say("With whole words as tokens, every word that did not occur in training is <unk>. Byte pair "
      "encoding (Sennrich et al. 2016) starts from characters and repeatedly joins the two pieces "
      "that are adjacent most often. These are the words of the paper with their counts, where ▁ "
      "marks the beginning of a word:");
  quote(line);
  const std::vector<Merge> merges = bpe::learn_merges(words, 9);
  std::vector<Phrase> heading = {"step", "joined", "count"};
  for (const auto& [word, count] : words) heading.push_back(word);
  Table table(heading);
  for (std::size_t step = 0; step <= merges.size(); ++step) {
    const std::vector<Merge> so_far(merges.begin(),
                                    merges.begin() + static_cast<std::ptrdiff_t>(step));
    std::vector<Phrase> row = {std::to_string(step), std::string("-"), std::string("-")};
    if (step > 0) {
      row[1] = so_far.back().left + " + " + so_far.back().right;
      row[2] = std::to_string(so_far.back().count);
    }
    for (const auto& [word, count] : words)
      row.push_back(joined(bpe::apply_merges(word, so_far), " "));
    table.row(row);
  }
  table.print();
  say("At step 1, e s and s t both occur 9 times, and alphabetical order decides. A word that "
      "the text does not contain is split by the same merges, in the order in which they were "
      "learned:");
  for (const char* word : {"▁lowest", "▁newer"})
    quote(std::string(word) + "  ->  " + joined(bpe::apply_merges(word, merges), " "));
  claim(bpe::apply_merges("▁lowest", merges) == Pieces{"▁low", "est"},
        "lowest, which is not in the text, becomes low and est");
  draw_merges(merges, options);
}

Pieces cut_by(const BytePairs& model, const std::string& word) {
  Pieces pieces;
  for (const int id : model.encode(word)) pieces.push_back(model.piece(id));
  return pieces;
}

// For the held-out sentences: the number of pieces, words and characters, and how many sentences
// SentencePiece cuts differently.
struct Cuts {
  int pieces = 0, words = 0, characters = 0, different = 0;
};

Cuts compare_cuts(const std::vector<std::string>& lines, const std::vector<Merge>& merges,
                  const BytePairs& model) {
  std::map<std::string, Pieces> known;
  Cuts cuts;
  for (const std::string& line : lines) {
    Pieces ours;
    for (const auto& [word, count] : bpe::count_words({line}, space_mark)) {
      if (!known.contains(word)) known[word] = bpe::apply_merges(word, merges);
      cuts.pieces += count * static_cast<int>(known[word].size());
      cuts.words += count;
      cuts.characters += count * static_cast<int>(code_points(word).size());
    }
    for (const std::string_view word : split_words(line))
      for (const std::string& piece : known[std::string(space_mark).append(word)])
        ours.push_back(piece);
    cuts.different += ours != cut_by(model, line);
  }
  return cuts;
}

// The English side, with apostrophes as words of their own.
std::vector<std::string> english(const std::vector<SentencePair>& pairs) {
  std::vector<std::string> lines;
  for (const SentencePair& pair : pairs) lines.push_back(replaced(pair.english, "'", " ' "));
  return lines;
}

void beside_sentencepiece() {
  const CorpusSplit split = language_split();
  const std::vector<std::string> train = english(split.train), held_out = english(split.held_out);
  const WordCounts words = bpe::count_words(train, space_mark);
  WordCounts characters;
  for (const auto& [word, count] : words)
    for (const std::string& character : code_points(word)) characters[character] += count;
  say("Now take the English side of our own language, with {} different words and {} different "
      "characters. SentencePiece, which train --tokenizer bpe uses, learns from the same "
      "sentences. Its vocabulary has room for the characters, the 4 special tokens and as many "
      "merges as ours. Then both cut the {} held-out sentences:",
      words.size(), characters.size(), held_out.size());
  const std::vector<Merge> all = bpe::learn_merges(words, 400);
  Table table({"merges", "the same in SentencePiece", "pieces per word", "sentences cut alike"});
  bool same = true;
  for (const std::size_t most : {0, 50, 100, 200, 400}) {
    const std::vector<Merge> merges(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(most));
    const BytePairs model =
        BytePairs::train(train, special_count + static_cast<int>(characters.size() + most));
    std::size_t equal = 0;
    while (equal < most &&
           model.piece(special_count + static_cast<int>(equal)) == merges[equal].piece())
      ++equal;
    const Cuts cuts = compare_cuts(held_out, merges, model);
    const int sentences = static_cast<int>(held_out.size());
    table.row(
        {most, equal, fixed(double(cuts.pieces) / cuts.words, 2), sentences - cuts.different});
    same = same && equal == most && cuts.different == 0;
  }
  table.print();
  claim(same, "SentencePiece learns the same merges in the same order, and cuts alike");
}

// The effect of SentencePiece's own rules: letters next to digits, and unseen characters.
void what_differs() {
  const std::vector<std::string> lines = {"the 2nd and the 2nd and the 2nd"};
  const std::vector<Merge> merges = bpe::learn_merges(bpe::count_words(lines, space_mark), 20);
  const BytePairs model = BytePairs::train(lines, 40);
  say("There are two differences. SentencePiece never joins a letter to a digit, an apostrophe or "
      "another script. And it replaces a character that is not in the text by <unk>, where ours "
      "leaves it as it is. (An option, which is off here, splits such a character into its bytes. "
      "GPT-2's pieces begin as bytes, see lesson 9.) Both learned from:");
  quote(lines.front());
  Table table({"word", "by hand", "SentencePiece"});
  for (const std::string word : {"the", "2nd", "你"})
    table.row({word, joined(bpe::apply_merges(std::string(space_mark) + word, merges), " "),
               joined(cut_by(model, word), " ")});
  table.print();
  claim(bpe::apply_merges("▁2nd", merges) == Pieces{"▁2nd"} &&
            cut_by(model, "2nd") == Pieces{"▁2", "nd"},
        "SentencePiece leaves 2 and nd apart");
  claim(cut_by(model, "你").back() == "<unk>", "a character never seen is <unk> to SentencePiece");
}

}  // namespace

void pieces_of_words(const CommonOptions& options) {
  section("Pieces of words: where do they come from?");
  the_papers_words(options);
  beside_sentencepiece();
  what_differs();
  finding(
      "BPE by hand learns SentencePiece's 400 merges; from the paper's words, it cuts lowest into "
      "▁low est");
}

}  // namespace xf::lesson_07
