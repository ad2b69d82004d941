// Lesson 4, sections 5 and 6: where the parameters and the arithmetic are.

#include "01_embedding/token_embedding.hpp"
#include "02_attention/multi_head_attention.hpp"
#include "03_layer_norm/layer_norm.hpp"
#include "04_feed_forward/feed_forward.hpp"
#include "04_feed_forward/lesson.hpp"
#include "nn/parameters.hpp"
#include "plot/lines.hpp"
#include "speech/show.hpp"

namespace xf::lesson_04 {

namespace {

struct Sizes {
  const char* name;
  int d_model, d_ff, heads, layers, vocabulary;
  int tables;  // 1: source, target and output share one
  bool output_matrix;
};
const std::vector<Sizes> all_sizes = {{"base", 512, 2048, 8, 6, 37000, 1, false},
                                      {"multi30k", 256, 512, 8, 3, 10000, 2, true},
                                      {"toy", 512, 2048, 8, 6, 11, 2, true}};

struct Counts {
  std::int64_t attention, feed_forward, norms, words;
  std::int64_t total() const { return attention + feed_forward + norms + words; }
};

template <class Layer>
std::int64_t count_of(Layer layer) {
  return parameter_count(parameters(layer));
}

// An encoder layer has one attention, one feed-forward layer and two norms; a decoder layer has
// two, one and three. Counted on layers that are actually constructed.
Counts counted(const Sizes& s) {
  Random random = Random::none();  // parameters are only counted, not initialised
  const std::int64_t attention = count_of(MultiHeadAttention(s.d_model, s.heads, 0, random));
  const std::int64_t feed_forward =
      count_of(FeedForward(s.d_model, s.d_ff, Activation::relu, 0, random));
  const std::int64_t norm = count_of(LayerNorm(s.d_model));
  const std::int64_t table = count_of(TokenEmbedding(s.vocabulary, s.d_model, random));
  const std::int64_t output =
      s.output_matrix ? count_of(Linear(s.d_model, s.vocabulary, random)) : 0;
  return {3 * s.layers * attention, 2 * s.layers * feed_forward, 5 * s.layers * norm,
          s.tables * table + output};
}

std::string percent(double part, double whole) { return fixed(100 * part / whole, 1) + " %"; }

// Floating point operations (a multiply and an add are two).
struct Work {
  double feed_forward, projections, quadratic, output;
  double total() const { return feed_forward + projections + quadratic + output; }
};
// `attentions` attentions and `networks` feed-forward layers on T words, and the output matrix.
Work work_of(const Sizes& s, double length, int attentions, int networks, bool with_output) {
  const double d = s.d_model;
  return {.feed_forward = networks * 2 * length * 2 * d * s.d_ff,  // W_1, W_2
          .projections = attentions * 2 * length * 4 * d * d,      // W_Q, W_K, W_V, W_O
          .quadratic = attentions * 2 * 2 * length * length * d,   // Q K^T, and weights V
          .output = with_output ? 2 * length * d * s.vocabulary : 0};
}
Work encoder_layer_work(const Sizes& s, double length) { return work_of(s, length, 1, 1, false); }
// T source words and T target words.
Work model_work(const Sizes& s, double length) {
  return work_of(s, length, 3 * s.layers, 2 * s.layers, true);
}

bool passes_feed_forward(const Work& work) { return work.quadratic > work.feed_forward; }

// The smallest length at which `more` holds of the work.
int first_length(const Sizes& s, Work (*work)(const Sizes&, double), bool (*more)(const Work&)) {
  int length = 1;
  while (!more(work(s, length))) ++length;
  return length;
}

void draw(const Sizes& sizes, const CommonOptions& options) {
  const int passed = first_length(sizes, encoder_layer_work, passes_feed_forward);
  LineChart chart{.title = words("From T = {} on, attention's quadratic part costs most", passed),
                  .x_title = "sentence length T",
                  .y_title = "GFLOP of an encoder layer, d512 ff2048",
                  .series = {{"feed-forward"}, {"projections"}, {"quadratic part"}},
                  .log_x = true,
                  .log_y = true};
  for (double length = 16; length <= 16384; length *= 2) {
    const Work work = encoder_layer_work(sizes, length);
    const double parts[] = {work.feed_forward, work.projections, work.quadratic};
    for (std::size_t i = 0; i < 3; ++i) chart.series[i].add(length, parts[i] / 1e9);
  }
  write_picture(options, "arithmetic.svg", line_chart_svg(chart));
}

}  // namespace

void parameter_share() {
  section("Where are the parameters?");
  say("One feed-forward layer has 2 D Dff + Dff + D numbers, one attention 4 D^2 + 4 D. With Dff = "
      "4 D that is about 8 D^2 against 4 D^2. We build the layers and count them. The column "
      "\"words\" counts the embedding tables and the output matrix (in base they share one matrix, "
      "as in the paper, and the others have three separate ones). The vocabulary sizes are round "
      "numbers.");
  Table table({"model", "D", "Dff", "layers", "vocab", "total", "feed-forward", "attention",
               "norms", "words"});
  double base_share = 0;
  for (const Sizes& sizes : all_sizes) {
    const Counts c = counted(sizes);
    const std::int64_t d = sizes.d_model, d_ff = sizes.d_ff;
    claim(c.feed_forward == 2 * sizes.layers * (2 * d * d_ff + d_ff + d), "2 D Dff + Dff + D");
    claim(c.attention == 3 * sizes.layers * (4 * d * d + 4 * d), "4 D^2 + 4 D");
    const double total = static_cast<double>(c.total());
    const auto share = [total](std::int64_t part) {
      return percent(static_cast<double>(part), total);
    };
    const std::string layers = std::to_string(sizes.layers);
    table.row({sizes.name, std::to_string(sizes.d_model), std::to_string(sizes.d_ff),
               layers + "+" + layers, std::to_string(sizes.vocabulary),
               fixed(total / 1e6, 1) + " M", share(c.feed_forward), share(c.attention),
               share(c.norms), share(c.words)});
    if (base_share == 0) base_share = 100 * static_cast<double>(c.feed_forward) / total;
  }
  table.print();
  finding("The feed-forward layers hold {} % of the base model's parameters; the norms almost none",
          fixed(base_share, 0));
}

void arithmetic_share(const CommonOptions& options) {
  section("Where is the arithmetic, and when does attention's quadratic part win?");
  say("These are the operations for T words, where a multiplication and an addition count as two. "
      "Looking up an embedding costs nothing, but multiplying by the output matrix is counted.");
  equation(
      "a feed-forward layer          4 T D Dff\nattention, projections        8 T D^2      W_Q, "
      "W_K, W_V, W_O\nattention, quadratic          4 T^2 D      Q K^T, and weights V\nthe output "
      "matrix             2 T D V");
  say("A whole model: T source and T target words, all scores computed (masked ones too):");
  Table table({"model", "T", "GFLOP", "feed-forward", "projections", "quadratic", "output"});
  for (const Sizes& sizes : {all_sizes[0], all_sizes[1]})
    for (const int length : {16, 64, 256, 1024, 4096}) {
      const Work work = model_work(sizes, length);
      table.row({sizes.name, std::to_string(length), fixed(work.total() / 1e9, 2),
                 percent(work.feed_forward, work.total()), percent(work.projections, work.total()),
                 percent(work.quadratic, work.total()), percent(work.output, work.total())});
    }
  table.print();
  say("The quadratic part passes the feed-forward layer at the lengths below (an encoder layer has "
      "one attention for each feed-forward layer, the whole model three for two):");
  Table crossings(
      {"model", "layer, T > Dff", "model, T > 2/3 Dff", "layer, all else, T > Dff + 2 D"});
  for (const Sizes& sizes : {all_sizes[0], all_sizes[1]}) {
    const int layer = first_length(sizes, encoder_layer_work, passes_feed_forward);
    const int model = first_length(sizes, model_work, passes_feed_forward);
    const int all_else = first_length(sizes, encoder_layer_work, [](const Work& work) {
      return work.quadratic > work.feed_forward + work.projections;
    });
    claim(layer == sizes.d_ff + 1, "quadratic = feed-forward at T = Dff");
    claim(model == 2 * sizes.d_ff / 3 + 1, "whole model: equal at 2/3 Dff");
    claim(all_else == sizes.d_ff + 2 * sizes.d_model + 1, "quadratic = the rest at Dff + 2 D");
    crossings.row({sizes.name, std::to_string(layer - 1), std::to_string(model - 1),
                   std::to_string(all_else - 1)});
  }
  crossings.print();
  draw(all_sizes[0], options);
  finding("Attention's quadratic part costs less than the feed-forward layer up to T = Dff (2048)");
}

}  // namespace xf::lesson_04
