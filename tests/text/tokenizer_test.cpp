#include "text/tokenizer.hpp"

#include <sentencepiece_trainer.h>

#include <chrono>
#include <set>
#include <stdexcept>

#include "io/files.hpp"
#include "support/errors.hpp"
#include "support/kinds.hpp"
#include "test_files.hpp"
#include "text/corpus.hpp"
#include "text/sentencepiece_file.hpp"

using namespace xf;
using namespace xf::test;
using Tokens = std::vector<int>;

namespace {

const std::vector<std::string> small = {"the lowest river is lower than the low river",
                                        "a newer tower shows the widest view",
                                        "the newest tower is wider than the lower tower",
                                        "we show the new view , the low one",
                                        "he said \" that ' s 100 % new \" .",
                                        "the river flows slowly under the tower"};

std::vector<std::string> pieces(const Tokenizer& tokenizer, const Tokens& ids) {
  std::vector<std::string> found;
  for (int id : ids) found.push_back(tokenizer.piece(id));
  return found;
}

Tokenizer bpe() { return Tokenizer::train(TokenizerKind::bpe, small, 70); }

}  // namespace

TEST_CASE("tokenizer: kinds are spelled word, char, bpe") {
  for (const char* spelled : {"word", "char", "bpe"})
    CHECK(name(test::named<TokenizerKind>(spelled)) == spelled);
}

TEST_CASE("tokenizer: a default one knows the specials only") {
  CHECK(Tokenizer().size() == 4);
  CHECK(Tokenizer().encode("a b") == Tokens{unk_id, unk_id});
}

TEST_CASE("tokenizer: --vocab must leave room for a token") {
  for (TokenizerKind kind : {TokenizerKind::word, TokenizerKind::character, TokenizerKind::bpe})
    CHECK(user_error([&] { Tokenizer::train(kind, small, 4); }) ==
          "--vocab 4: must be more than the 4 special tokens");
}

TEST_CASE("word tokenizer: rare and new words become <unk>") {
  const Tokenizer t = Tokenizer::train(TokenizerKind::word, {"b a a", "c b a"}, 6);
  CHECK(t.size() == 6);
  CHECK(t.encode("a b  c\td ") == Tokens{4, 5, 3, 3});
  CHECK(t.decode({1, 4, 5, 3, 2, 0, 0}) == "a b <unk>");
  CHECK(t.encode("") == Tokens{});
  CHECK(t.decode({}) == "");
  CHECK(Tokenizer::train(TokenizerKind::word, {"b a a", "c b a"}, 0, 2).size() == 6);
}

TEST_CASE("char tokenizer: one id a code point, a space is ▁") {
  const Tokenizer t = Tokenizer::train(TokenizerKind::character, {"你 好", "你\t😀"}, 0);
  CHECK(t.size() == 8);
  CHECK(t.piece(4) == "▁");
  CHECK(pieces(t, t.encode("你 好x")) == std::vector<std::string>{"你", "▁", "好", "<unk>"});
  for (const char* line : {"你 好", " 你  好 ", "😀"}) CHECK(t.decode(t.encode(line)) == line);
}

TEST_CASE("tokenizer: for words and characters, sample equals encode and draws nothing") {
  Random random(1), untouched(1);
  for (TokenizerKind kind : {TokenizerKind::word, TokenizerKind::character}) {
    const Tokenizer t = Tokenizer::train(kind, small, 0);
    CHECK(t.sample(small[0], 0.5, random) == t.encode(small[0]));
  }
  CHECK(random.bits() == untouched.bits());
}

TEST_CASE("bpe: specials have their ids, pieces join to the line") {
  const Tokenizer t = bpe();
  CHECK(t.size() <= 70);
  CHECK(pieces(t, {0, 1, 2, 3}) == std::vector<std::string>{"<pad>", "<bos>", "<eos>", "<unk>"});
  for (const std::string& line : small) CHECK(t.decode(t.encode(line)) == line);
  CHECK(t.decode(t.encode("  the\tlow   tower ")) == "the low tower");
  CHECK(t.encode("").empty());
  const auto cut = pieces(t, t.encode("the lower"));
  CHECK(cut.front().starts_with("▁"));
  CHECK(cut.size() < std::string("the lower").size());  // something has merged
}

TEST_CASE("bpe: unknown characters become one <unk>, also where they are sampled") {
  const Tokenizer t = bpe();
  Random random(3);
  CHECK(t.decode(t.encode("the 你好 tower")) == "the <unk> tower");
  for (const char* line : {"the 你好 tower", "你好", "a你好b你"})
    CHECK(t.sample(line, 0, random) == t.encode(line));
  CHECK(t.decode({bos_id, eos_id, pad_id}) == "");
}

TEST_CASE("bpe: training is silent about a vocabulary that is too large, and names one too small") {
  CHECK(Tokenizer::train(TokenizerKind::bpe, small, 5000).size() < 300);
  const auto trained = [](int vocab) { return Tokenizer::train(TokenizerKind::bpe, small, vocab); };
  const std::string error = user_error([&] { trained(5); });
  CHECK(error.starts_with("--vocab 5: this text needs at least "));
  const int least =
      std::stoi(error.substr(std::string("--vocab 5: this text needs at least ").size()));
  CHECK(trained(least).size() == least);
  CHECK(user_error([&] { trained(least - 1); }).find("at least") != std::string::npos);
}

TEST_CASE("bpe: equal text gives an equal model, byte by byte") {
  const TemporaryDirectory dir;
  bpe().save(dir.path, "a");
  bpe().save(dir.path, "b");
  CHECK(read_file(dir.path + "/a.model") == read_file(dir.path + "/b.model"));
}

TEST_CASE("bpe-dropout: 0 is encode, 1 leaves characters, any rate keeps the text") {
  const Tokenizer t = bpe();
  Random random(7);
  for (const std::string& line : small) {
    CHECK(t.sample(line, 0, random) == t.encode(line));
    CHECK(t.decode(t.sample(line, 0.3, random)) == line);
  }
  CHECK(pieces(t, t.sample("the low", 1, random)) ==
        std::vector<std::string>{"▁", "t", "h", "e", "▁", "l", "o", "w"});
}

TEST_CASE("bpe-dropout: a seed gives the same cuts, and cuts differ from draw to draw") {
  const Tokenizer t = bpe();
  Random a(11), b(11);
  std::set<Tokens> seen;
  for (int i = 0; i < 50; ++i) {
    const Tokens cut = t.sample(small[2], 0.2, a);
    CHECK(cut == t.sample(small[2], 0.2, b));
    seen.insert(cut);
  }
  CHECK(seen.size() > 10);
}

TEST_CASE("bpe-dropout: a merge is left out as often as alpha says") {
  // "▁", "a", "b" and the one merge "ab" -> both characters stay apart with probability alpha
  const Tokenizer t = Tokenizer::train(TokenizerKind::bpe, {"xab xab", "yab yab", "zab"}, 12);
  const Tokens whole = t.encode("ab");
  REQUIRE(pieces(t, whole) == std::vector<std::string>{"▁", "ab"});
  Random random(5);
  int apart = 0;
  constexpr int draws = 4000;
  for (int i = 0; i < draws; ++i) apart += t.sample("ab", 0.25, random) != whole;
  CHECK(apart / double(draws) == doctest::Approx(0.25).epsilon(0.1));  // 3.7 standard deviations
}

TEST_CASE("tokenizer: saved and loaded again it is the same") {
  const TemporaryDirectory dir;
  for (TokenizerKind kind : {TokenizerKind::word, TokenizerKind::character, TokenizerKind::bpe}) {
    const Tokenizer before = Tokenizer::train(kind, small, 70);
    before.save(dir.path, "source");
    const Tokenizer after = Tokenizer::load(dir.path, "source", kind);
    CHECK(after.kind() == kind);
    CHECK(after.size() == before.size());
    for (int id = 0; id < after.size(); ++id) CHECK(after.piece(id) == before.piece(id));
    for (const std::string& line : small) CHECK(after.encode(line) == before.encode(line));
    Random a(2), b(2);
    CHECK(after.sample(small[0], 0.3, a) == before.sample(small[0], 0.3, b));
  }
}

TEST_CASE("tokenizer: an id that is not in it is refused") {
  for (TokenizerKind kind : {TokenizerKind::word, TokenizerKind::bpe}) {
    const Tokenizer t = Tokenizer::train(kind, small, 70);
    CHECK_THROWS_AS(t.decode({t.size()}), std::invalid_argument);
    CHECK_THROWS_AS(t.piece(-1), std::invalid_argument);
  }
}

TEST_CASE("tokenizer: loading says which file is wrong") {
  const TemporaryDirectory dir;
  const auto error = [&](const char* stem, TokenizerKind kind) {
    return user_error([&] { Tokenizer::load(dir.path, stem, kind); });
  };
  const std::string model = dir.path + "/m.model";
  CHECK(error("m", TokenizerKind::word) == dir.path + "/m.vocab.txt: No such file or directory");
  CHECK(error("m", TokenizerKind::bpe) == model + ": No such file or directory");
  dir.file("m.vocab.txt", "<pad>\n");
  CHECK(error("m", TokenizerKind::character) ==
        dir.path + "/m.vocab.txt:2: expected <bos>, but the file ends");
  dir.file("m.model", "no model at all");
  CHECK(error("m", TokenizerKind::bpe) == model + ": truncated, or not a SentencePiece model");
}

TEST_CASE("bpe: a model file cut at any byte is refused") {
  const TemporaryDirectory dir;
  bpe().save(dir.path, "m");
  const std::string whole = read_file(dir.path + "/m.model");
  int accepted = 0;
  for (std::size_t size = 0; size < whole.size(); ++size)
    accepted += user_error([&] { BytePairs::parse(whole.substr(0, size), "m.model"); }) !=
                "m.model: truncated, or not a SentencePiece model";
  CHECK(accepted == 0);
}

// A length-delimited field of a protocol buffer.
std::string field(int number, const std::string& bytes) {
  std::string all(1, static_cast<char>(number << 3 | 2));
  std::size_t size = bytes.size();
  for (; size > 127; size >>= 7) all += static_cast<char>(128 | (size & 127));
  return all + static_cast<char>(size) + bytes;
}

TEST_CASE("sentencepiece: a table of characters that leads out of itself is refused") {
  // Units of a double array: the root's children begin at 256; "a" has a text, at 512.
  using Units = std::vector<std::uint32_t>;
  Units sound(768, 0);
  sound[0] = 1 << 18;  // children at 0 ^ 256
  sound[256 ^ 'a'] = (256 ^ 'a' ^ 512) << 10 | 256 | 'a';
  sound[512] = 1u << 31 | 2;
  const auto type = [](const Units& units, const std::string& texts) {
    const auto size = static_cast<std::uint32_t>(4 * units.size());
    std::string table(reinterpret_cast<const char*>(&size), 4);
    table.append(reinterpret_cast<const char*>(units.data()), size).append(texts);
    return sentencepiece_type(field(1, "") + field(2, "") + field(3, field(2, table)), "a.spm");
  };
  const std::string texts("A\0B\0", 4);
  CHECK(type(sound, texts) == 1);
  const auto refuses = [&](const Units& units, const std::string& behind) {
    expect_user_error([&] { type(units, behind); }, {"a.spm: precompiled_charsmap: "});
  };
  refuses({}, texts);
  refuses(Units(768, ~0u), texts);
  refuses(Units(sound.begin(), sound.begin() + 512), texts);  // the text's unit is not there
  refuses(sound, texts.substr(0, 2));                         // the text is not there
  refuses(sound, "A1B1");                                     // no text ends
  Units endless = sound;
  endless[256 ^ 'a'] = ('a' << 10) | 256 | 'a';  // "aaa...": a text behind each
  endless[256] = 1u << 31;
  refuses(endless, texts);
}

TEST_CASE("bpe: a SentencePiece model of another type is refused") {
  const TemporaryDirectory dir;
  dir.file("text", "the cat sat on the mat\nthe dog sat on the cat\na dog and a cat\n");
  for (const std::string type : {"unigram", "word", "char"}) {
    const auto status = sentencepiece::SentencePieceTrainer::Train(
        "--input=" + dir / "text" + " --model_prefix=" + dir / "m" + " --model_type=" + type +
        " --vocab_size=19 --hard_vocab_limit=false --pad_id=0 --bos_id=1 --eos_id=2 --unk_id=3 "
        "--minloglevel=2");
    REQUIRE(status.ok());
    const std::string message =
        user_error([&] { BytePairs::parse(read_file(dir / "m.model"), "m.model"); });
    CHECK(message.starts_with("m.model: a SentencePiece model of another type"));
  }
}

TEST_CASE("tokenizer: equal ones have the same tokens under the same ids") {
  const auto words = [](const std::vector<std::string>& lines) {
    return Tokenizer::train(TokenizerKind::word, lines, 0);
  };
  CHECK(words({"a b b"}) == words({"b a b"}));
  CHECK(!(words({"a b b"}) == words({"a a b"})));
  CHECK(!(words({"a"}) == Tokenizer::train(TokenizerKind::character, {"a"}, 0)));
  const auto merged = [](const char* line) {
    return Tokenizer::train(TokenizerKind::bpe, {line}, 9);
  };
  CHECK(merged("ab ab") == merged("ab ab"));
  CHECK(!(merged("ab ab") == merged("ba ba")));
}

TEST_CASE("bpe: on real text, sample(0) equals SentencePiece and drops merges") {
  const std::string path = shared_data("multi30k/raw/train.en");
  if (path.empty()) return;
  const std::vector<std::string> lines = read_lines(path);
  const Tokenizer t = Tokenizer::train(TokenizerKind::bpe, lines, 4000);
  CHECK(t.size() == 4000);
  Random random(1);
  const auto start = std::chrono::steady_clock::now();
  long different = 0, longer = 0, same_text = 0;
  for (const std::string& line : lines) {
    const Tokens whole = t.encode(line);
    const Tokens cut = t.sample(line, 0.1, random);
    different += t.sample(line, 0, random) != whole;
    longer += cut.size() > whole.size();
    same_text += t.decode(cut) == t.decode(whole);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  CHECK(different == 0);
  CHECK(longer > 20000);
  CHECK(same_text == static_cast<long>(lines.size()));
  MESSAGE("29,000 lines encoded and sampled twice in " << taken.count() << " s");
}
