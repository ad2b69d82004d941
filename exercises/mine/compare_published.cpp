// `./learn mine compare --model DIR`: a published model with the learner's parts and with the
// book's. Each part alone, tensor by tensor, to name where a difference begins; then the tokens
// that both generate.

#include <algorithm>

#include "09_since_2017/program/published_model.hpp"
#include "09_since_2017/sampling.hpp"
#include "io/utf8.hpp"
#include "mine/compare.hpp"

namespace xf {

using namespace mine;

namespace {

// What differs between `some` parts and the book's: the first tensor that differs by more than
// rounding, otherwise the one that differs most.
struct Walk {
  const DecoderOnly& model;
  const Parts& some;
  Difference found = {};

  // Computes every tensor twice, both times from the book's inputs.   ids: (1, T), T > 1
  Difference along(const Ids& ids) {
    const int last = ids.size(1) - 1;
    Tensor x = embedding(ids, model.tokens);  // (1, T, D)
    if (model.positions.defined()) x = x + slice(model.positions, 0, 0, last + 1);
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const DecoderOnlyLayer& layer = model.layers[i];
      const std::string name = "layers." + std::to_string(i) + ".";
      const Tensor to_attend =
          see(name + "attention_norm", [&] { return layer.attention_norm(x); });
      const Tensor heads =
          see(name + "attention", [&] { return layer.attention(to_attend, turns(0, last + 1)); });
      see(words("{}attention, the last token with a cache", name), [&] {
        GroupedCache cache;
        layer.attention(slice(to_attend, 1, 0, last), turns(0, last), &cache);
        return layer.attention(slice(to_attend, 1, last, 1), turns(last, 1), &cache);
      });
      const Tensor y = x + heads;
      const Tensor to_pass =
          see(name + "feed_forward_norm", [&] { return layer.feed_forward_norm(y); });
      x = y + see(name + "feed_forward", [&] { return layer.feed_forward(to_pass); });
    }
    const Tensor logits = model.output(see("final_norm", [&] { return model.final_norm(x); }));
    choose(slice(logits, 1, last, 1).values());
    return found;
  }

  Tensor turns(int first, int count) const {
    return model.positions.defined() ? Tensor() : model.rotary.turns(first, count);
  }

  void choose(const Values& next) {
    const auto tokens = static_cast<int>(next.size());
    for (const TokenChoice& how : {TokenChoice{.temperature = 0}, TokenChoice{.temperature = 0.7},
                                   TokenChoice{.top_k = 40}, TokenChoice{.top_p = 0.9}})
      see(words("the probabilities (temperature {}, top-k {}, top-p {})",
                formatted("%g", how.temperature), how.top_k, formatted("%g", how.top_p)),
          [&] { return probabilities(choices(next, how), tokens); });
    if (!some.draw) return;
    // The exercise samples in the order of the ids, the book in the order of the probabilities.
    const Choices all = with(some, [&] { return choices(next, {}); });
    std::vector<float> own, wanted;
    for (int i = 0; i < 6; ++i) {
      const double u = 0.19 * i;
      int id = 0;
      for (double sum = all.p[0]; sum <= u && id + 1 < tokens;) sum += all.p[std::size_t(++id)];
      wanted.push_back(static_cast<float>(id));
      own.push_back(static_cast<float>(some.draw(all.p, u)));
    }
    note(words("the tokens that are drawn"), Tensor::from({6}, own), Tensor::from({6}, wanted));
  }

  void note(const std::string& name, const Tensor& own, const Tensor& book) {
    found.note(name, largest_difference(own, book) / largest(book));
  }

  template <class Compute>
  Tensor see(const std::string& name, const Compute& compute) {
    const Tensor book = with(Parts(), compute);
    if (found.share <= rounding) note(name, with(some, compute), book);
    return book;
  }

  static Tensor probabilities(const Choices& all, int tokens) {
    std::vector<float> p(static_cast<std::size_t>(tokens));
    for (std::size_t i = 0; i < all.ids.size(); ++i)
      p[static_cast<std::size_t>(all.ids[i])] = static_cast<float>(all.p[i]);
    return Tensor::from({tokens}, p);
  }
};

struct Compared {
  PublishedModel published;
  PublishedTokenizer tokenizer;
  std::string prompt;

  std::string piece(const std::vector<int>& ids, std::size_t i) const {
    return i < ids.size() ? "'" + std::string(tokenizer.token(ids[i])) + "'"
                          : words("nothing").str();
  }
  // "token 3 is 'a', the book's 'b'"; "" if they are the same.
  std::string said_of(const std::vector<int>& own, const std::vector<int>& book) const {
    if (own == book) return "";
    const auto first = std::mismatch(own.begin(), own.end(), book.begin(), book.end()).first;
    const auto at = static_cast<std::size_t>(first - own.begin());
    return words("token {} is {}, the book's {}", at + 1, piece(own, at), piece(book, at));
  }
  std::vector<int> written(const Parts& some, int length) const {
    return with(some, [&] {
      std::vector<int> all;
      Random random(1);
      generate_of_the_book(published.model, tokenizer.encode(prompt), length, {.temperature = 0},
                           random, [&](int id) {
                             all.push_back(id);
                             return true;
                           });
      return all;
    });
  }
  // For the prompt, and for a text with long words and all kinds of bytes.
  std::string pieces_differ(const Parts& alone) const {
    for (const std::string& text :
         {prompt, std::string("Unquestionably internationalised, na\u00efve caf\u00e9s: "
                              "\u6570\u636e \u00ad \U0001F642 ### 1234")}) {
      const auto cut = [&] { return tokenizer.encode(text); };
      const std::vector<int> own = with(alone, cut), book = with(Parts(), cut);
      if (const std::string said = said_of(own, book); !said.empty()) return said;
      const auto spelled = [&] { return tokenizer.decode(book); };
      if (with(alone, spelled) != with(Parts(), spelled))
        return words("the tokens are spelled differently");
    }
    return "";
  }
};

}  // namespace

int mine::compare_published(const CompareFlags& f) {
  check_utf8(f.prompt, "--prompt");
  const PublishedModel published = load_published_model(f.model);
  const Compared model{published, load_published_tokenizer(f.model, published), f.prompt};
  const std::vector<int> ids = with({}, [&] { return model.tokenizer.encode(f.prompt); });
  if (ids.size() < 2) throw UserError("{}: fewer than two tokens", "--prompt");
  int differ = 0;
  say_line(words("each part by itself:"));
  for (const auto& [exercise, alone] : loaded_parts()) {
    const std::string begin = "  " + exercise + "  ";
    if (alone.encode) {
      const std::string said = model.pieces_differ(alone);
      differ += !said.empty();
      say_line(begin + (said.empty() ? words("the same tokens, spelled the same").str() : said));
      continue;
    }
    const Difference found =
        Walk{published.model, alone}.along(Ids({1, static_cast<int>(ids.size())}, ids));
    differ += found.share > rounding;
    if (found.share > 0)
      say_difference(found, begin);
    else
      say_line(begin + words("the same digits as the book's").str());
  }
  const std::vector<int> book = model.written({}, f.length), own = model.written(parts(), f.length);
  const std::string said = model.said_of(own, book);
  say_line(said.empty() ? words("greedy search writes the same {} tokens", own.size())
                        : words("greedy search: {}", said));
  return differ > 0 || !said.empty() ? 1 : 0;
}

}  // namespace xf
