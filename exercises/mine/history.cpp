// What came before and after the translator, as in the lessons of its chapters but with the
// learner's parts: `./learn mine letters`, `alignment`, `games` and `recall`.

#include <CLI/App.hpp>

#include "00_foundations/lesson.hpp"
#include "02_attention/lesson.hpp"
#include "05_encoder/lesson.hpp"
#include "08_transformer_xl/experiments/lesson.hpp"
#include "08_transformer_xl/relative_attention.hpp"
#include "io/files.hpp"
#include "language/language.hpp"
#include "mine/parts.hpp"
#include "ops/dropout/dropout.hpp"
#include "ops/heads/heads.hpp"
#include "ops/shape/shape_ops.hpp"
#include "ops/softmax/softmax.hpp"

namespace xf {

namespace {

// A section of a lesson, in the language of the run. It loads the chapter's own catalogue, because
// a few short names are translated differently in different chapters.
Command told(const char* chapter, void (*run)(const CommonOptions&)) {
  return [=](const CommonOptions& common) {
    add_catalogue(read_file(std::string(XF_CHAPTERS "/") + chapter + "/zh.po"),
                  Entries::may_replace);
    run(common);
    return 0;
  };
}

}  // namespace

Command add_letters(CLI::App&) { return told("00_foundations", lesson_00::training); }

Command add_alignment(CLI::App&) {
  return told("02_attention", [](const CommonOptions& common) { lesson_02::alignment({common}); });
}

Command add_games(CLI::App&) {
  return told("05_encoder",
              [](const CommonOptions& common) { lesson_05::ambiguous_word(common.seed); });
}

Command add_recall(CLI::App&) { return told("08_transformer_xl", lesson_08::recall); }

// The exercise has a row of distances for each sentence, and u and v with all heads side by side.
Tensor RelativeAttention::operator()(const Tensor& x, const Keys& to, const GlobalBiases& bias,
                                     const Mask& mask) const {
  if (!mine::parts().relative_scores)
    return RelativeAttentionOfTheBook::operator()(x, to, bias, mask);
  const int keys = to.k.size(2), width = bias.u.size(0) * bias.u.size(1);
  const Tensor one = slice(to.r, 2, to.r.size(2) - keys, keys);  // (1, H, S, Dk)
  const Tensor r = gather_rows(one, std::vector<int>(std::size_t(x.size(0)), 0));
  const Tensor scores = mine::parts().relative_scores(w_q(x), to.k, r, reshape(bias.u, {width}),
                                                      reshape(bias.v, {width}));  // (B, H, T, S)
  const float root_dk = std::sqrt(static_cast<float>(to.k.size(-1)));
  const Tensor weights = softmax(scores, {.scale = 1 / root_dk, .mask = mask});
  watch("scores", scores);
  watch("weights", weights);
  watch("values", to.v);
  return w_o(merge_heads(matmul(dropout(weights, dropout_rate), to.v)));  // (B, T, D)
}

}  // namespace xf
