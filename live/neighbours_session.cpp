#include <numeric>
#include <span>

#include "01_embedding/positional_encoding.hpp"
#include "01_embedding/token_embedding.hpp"
#include "02_attention/multi_head_attention.hpp"
#include "03_layer_norm/layer_norm.hpp"
#include "live/maps.hpp"
#include "live/session.hpp"
#include "ops/cross_entropy/cross_entropy.hpp"
#include "ops/reduce/reduce.hpp"
#include "ops/shape/shape_ops.hpp"
#include "train/adam.hpp"
#include "train/schedule.hpp"

namespace xf::live {

namespace {

constexpr int letters = 8, d_model = 32, batch = 32, warmup = 50;
constexpr double rate = 5e-3;
constexpr int shown = 10;  // letters with two neighbours
enum Side { left, right, sides };

// Lines in which each letter occurs once, with the two neighbours of each letter as the target.
struct Lines {
  Ids read;      // (B, T)
  Ids expected;  // (B, T, 2); -1 beyond the ends

  Lines(int count, Random& random)
      : read(Ids::full({count, letters}, 0)), expected(Ids::full({count, letters, sides}, -1)) {
    for (int line = 0; line < count; ++line) {
      std::int32_t* first = read.begin() + line * letters;
      std::iota(first, first + letters, 0);
      random.shuffle(first, first + letters);
      for (int i = 0; i < letters; ++i) {
        std::int32_t* beside = expected.begin() + (line * letters + i) * sides;
        if (i > 0) beside[left] = first[i - 1];
        if (i + 1 < letters) beside[right] = first[i + 1];
      }
    }
  }
};

std::string name_of(int letter) { return std::string(1, static_cast<char>('a' + letter)); }

// Attention alone, without a feed-forward network that could compensate for it:
//   y = x + MultiHeadAttention(norm(x)),   logits = y W^T + b
struct Neighbours {
  TokenEmbedding table;  // (V, D)
  LayerNorm norm;
  MultiHeadAttention attention;
  Linear output;  // (2 V, D)

  Neighbours(int heads, Random& random)
      : table(letters, d_model, random),
        norm(d_model),
        attention(d_model, heads, 0.0f, random),
        output(d_model, sides * letters, random) {}

  // ids: (B, T)   returns logits (B, T, 2, V)
  Tensor operator()(const Ids& ids) const {
    const Tensor x = add_positions(table(ids));  // (B, T, D)
    const Tensor h = norm(x);
    return reshape(output(x + attention(h, h, {})), {ids.size(0), ids.size(1), sides, letters});
  }

  template <class Visitor>
  void visit(Visitor&& v) {
    v("table", table);
    v("norm", norm);
    v("attention", attention);
    v("output", output);
  }
};

class NeighboursSession : public Session {
 public:
  NeighboursSession(int heads, int updates, std::uint64_t seed)
      : random_(seed, 1),
        model_(heads, random_),
        adam_(xf::parameters(model_)),
        updates_(updates),
        seed_(seed) {}

  std::vector<NamedParameter> parameters() override { return xf::parameters(model_); }
  int updates() const override { return updates_; }
  Json about() const override {
    return {{"layers", 1},     {"d_model", d_model}, {"heads", model_.attention.heads},
            {"batch", batch},  {"letters", letters}, {"rate", rate},
            {"warmup", warmup}};
  }
  double step() override {
    const Lines lines(batch, random_);
    Tape tape;
    const Tensor loss = cross_entropy_in_place(model_(lines.read), lines.expected);
    Gradients gradients = tape.backward(loss);
    const int update = adam_.steps() + 1;
    adam_.step(gradients, schedule_(update, double(update - 1) / updates_));
    return loss.item();
  }
  double held_out() override {
    const Lines lines = held_out_lines();
    return cross_entropy(model_(lines.read), lines.expected).item();
  }

  // The share of letters with two neighbours for which both predictions are right.
  Json score(Fields& request) override {
    request.done();
    const Lines lines = held_out_lines();
    const std::vector<int> best = argmax(model_(lines.read));
    int hits = 0, count = 0;
    Json wrong = Json::array(), fine = Json::array();
    for (int i = 0; i < lines.read.count(); ++i) {
      const int at = i * sides, place = i % letters;
      if (place == 0 || place == letters - 1) continue;
      const auto both = [&](const auto& said) {
        return name_of(said[at + left]) + " … " + name_of(said[at + right]);
      };
      const std::string expected = both(lines.expected), written = both(best.data());
      const bool is_right = expected == written;
      (is_right ? fine : wrong)
          .push_back({{"letter", name_of(lines.read[i])},
                      {"line", joined(lines.read, i / letters)},
                      {"expected", expected},
                      {"written", written}});
      hits += is_right;
      ++count;
    }
    wrong.insert(wrong.end(), fine.begin(), fine.end());
    wrong.erase(wrong.begin() + shown, wrong.end());
    return {{"right", hits},
            {"of", count},
            {"share", double(hits) / count},
            {"examples", wrong},
            {"look", look()}};
  }

 private:
  static constexpr int held_out_count = 100;  // lines

  Lines held_out_lines() const {
    Random random(seed_, 2);
    return Lines(held_out_count, random);
  }
  static std::string joined(const Ids& ids, int line) {
    std::string text;
    for (int i = 0; i < letters; ++i) text += (i ? " " : "") + name_of(ids[line * letters + i]);
    return text;
  }

  // Where the letters of one line attend to, and which neighbours the model predicts for each.
  Json look() const {
    Random random(seed_, 3);
    const Lines one(1, random);
    Recorder recorder({"weights"});
    const std::vector<int> best = argmax(model_(one.read));
    Json read = Json::array(), said = Json::array();
    for (int i = 0; i < letters; ++i) {
      read.push_back(name_of(one.read[i]));
      said.push_back({name_of(best[std::size_t(i * sides + left)]),
                      name_of(best[std::size_t(i * sides + right)])});
    }
    return {{"rows", read}, {"said", said}, {"maps", maps(recorder, "weights")}};
  }

  Random random_;
  Neighbours model_;
  Adam adam_;
  Schedule schedule_{.kind = ScheduleKind::linear, .peak = rate, .warmup = warmup};
  int updates_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<Session> neighbours_session(Fields options, std::uint64_t seed) {
  const int heads = options.integer("heads", 1, 8, 2);
  const int updates = options.integer("updates", 1, 10000, 900);
  if (d_model % heads != 0) options.fail("\"heads\" does not divide 32");
  options.done();
  return std::make_unique<NeighboursSession>(heads, updates, seed);
}

}  // namespace xf::live
