"""Faults that somebody might bring into the product, and the tests that must notice each of them:
tests/planted/plant.py plants them. `right` stands in its file once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    room: str
    name: str
    file: str
    right: str
    wrong: str
    tests: tuple[str, ...]

    def planted_in(self, text: str) -> str:
        if text.count(self.right) != 1:
            raise ValueError(f"{self.name}: {self.file} has its text {text.count(self.right)} "
                             "times, not once")
        return text.replace(self.right, self.wrong)


def of(room: str, *tests: str):
    """Faults of a room, noticed by these tests unless they name others."""
    def fault(name: str, file: str, right: str, wrong: str, *others: str) -> Fault:
        return Fault(room, name, file, right, wrong, others or tests)
    return fault


op, attention = of("ops", "ops"), of("attention", "chapters")
search, training = of("search", "chapters"), of("training", "train")
checkpoint, loader = of("checkpoints", "train"), of("loaders", "text")
judge, page = of("judge", "exercises_run"), of("page", "explorer")
live, docs = of("live", "live"), of("docs", "pages")

FAULTS = (
    op("layer_norm_gradient", "common/ops/layer_norm/cpu.cpp",
       "(gamma[j] * up[j] - mean_g - n * mean_gn) * inverse",
       "(gamma[j] * up[j] - mean_g + n * mean_gn) * inverse"),
    op("softmax_gradient_scale", "common/ops/softmax/row.hpp",
       "dx[j] = scale * y[j] * (dy[j] - dot)", "dx[j] = scale * y[j] * (dy[j] + dot)"),
    op("embedding_repeated_word", "common/ops/embedding/cpu.cpp",
       "row[c] += dy[c]", "row[c] = dy[c]"),
    op("rotary_turns_back", "common/ops/rotary/cpu.cpp",
       "to[i] = a * cosines[i] - b * sine", "to[i] = a * cosines[i] + b * sine"),
    op("cross_entropy_smoothing", "common/ops/cross_entropy/cpu.cpp",
       "dx[v] = factor * fast_exp(x[v] - lse) - spread",
       "dx[v] = factor * fast_exp(x[v] - lse) + spread"),

    attention("mask_sees_the_next_word", "chapters/02_attention/mask.hpp",
              "std::min(keys, offset + i + 1)", "std::min(keys, offset + i + 2)"),
    attention("either_mask_is_enough", "chapters/02_attention/mask.hpp",
              "element(left, n, t, s) & element(right, n, t, s)",
              "element(left, n, t, s) | element(right, n, t, s)"),
    attention("packed_sees_the_next_word", "common/ops/attention/packed_cpu.cpp",
              "head.causal ? std::min(t + 1, head.keys) : head.keys",
              "head.causal ? std::min(t + 2, head.keys) : head.keys", "ops"),
    attention("distance_one_too_far", "common/ops/relative_shift/cpu.cpp",
              "const int skipped = t - 1 - i;\n      to = std::copy(",
              "const int skipped = t - i;\n      to = std::copy(", "ops"),
    attention("keys_and_values_change_places", "chapters/09_since_2017/grouped_attention.hpp",
              "split_heads(k, groups), split_heads(v, groups)",
              "split_heads(v, groups), split_heads(k, groups)"),

    search("end_does_not_count", "chapters/07_transformer/search.cpp",
           "score(p, static_cast<int>(whole.tokens.size()), options_)",
           "score(p, static_cast<int>(whole.tokens.size()) - 1, options_)"),
    search("worst_of_the_complete", "chapters/07_transformer/search.cpp",
           "return a.score < b.score;", "return a.score > b.score;"),
    search("late_ends_are_complete", "chapters/07_transformer/search.hpp",
           "if (c.ends && rank < beam)", "if (c.ends)"),
    search("past_of_another_prefix", "chapters/07_transformer/search.cpp",
           "if (parents != same) cache_.select(parents);",
           "if (parents == same) cache_.select(parents);"),

    training("adam_without_correction", "common/train/adam.cpp",
             "learning_rate / correction1", "learning_rate * correction1"),
    training("decay_of_biases", "common/train/adam.cpp",
             "w.rank() > 1 ? left_of_matrices : 1", "left_of_matrices"),
    training("warm_up_is_one_late", "common/train/schedule.hpp",
             "std::min(1.0, double(t) / warmup)", "std::min(1.0, double(t - 1) / warmup)"),
    training("noam_falls_too_fast", "common/train/schedule.hpp",
             "std::sqrt(double(std::max(1, warmup)) / t)", "double(std::max(1, warmup)) / t"),
    training("average_divides_by_one_more", "common/train/averaging.cpp",
             "1.0f / static_cast<float>(paths.size())",
             "1.0f / static_cast<float>(paths.size() + 1)"),

    checkpoint("moments_are_swapped", "common/train/adam.cpp",
               "copy_into(v_[p], state[2 * p + 1].second.values())",
               "copy_into(v_[p], state[2 * p].second.values())"),
    checkpoint("steps_are_forgotten", "common/train/adam.cpp",
               "  t_ = steps;\n", "  t_ = steps / 2;\n"),
    checkpoint("written_in_place", "common/io/files.cpp",
               "Temporary temporary{temporary_name(target)};\n  Descriptor file",
               "Temporary temporary{target};\n  Descriptor file", "io_speech_trace_program"),
    checkpoint("best_loss_is_forgotten", "common/train/training_run.cpp",
               'best_.loss = counter(counters, "best_loss", path)', "best_.loss = 0", "runs"),

    loader("gpt2_is_not_transposed", "chapters/09_since_2017/program/published_model.cpp",
           "parameter(matrix ? transpose(mine) : mine)", "parameter(mine)", "chapters",
           "published_commands"),
    loader("marian_sines_change_places", "chapters/07_transformer/program/marian.cpp",
           "wide_.push_back(i / 2 + i % 2 * (width_ / 2))",
           "wide_.push_back(i / 2 + (1 - i % 2) * (width_ / 2))", "marian"),
    loader("last_merge_wins", "common/text/byte_merges.cpp",
           "std::tie(a.left, a.right, b.rank) < std::tie(b.left, b.right, a.rank)",
           "std::tie(a.left, a.right, a.rank) < std::tie(b.left, b.right, b.rank)"),
    loader("unknown_tensor_is_left", "common/io/published_weights.cpp",
           "if (!taken_.contains(name)) fail(", "if (taken_.empty()) fail(",
           "chapters", "published_commands"),
    loader("published_norm_eps", "chapters/09_since_2017/program/published_config.cpp",
           'file.number("rms_norm_eps", 1e-6)', 'file.number("rms_norm_epsilon", 1e-6)',
           "chapters", "published_commands"),

    judge("ten_times_the_tolerance", "tools/exercises/outcome.py",
          "slack * (1e-5 + 1e-4 * abs(e))", "slack * (1e-3 + 1e-2 * abs(e))",
          "exercises_grade Parts"),
    judge("a_missing_check_passes", "tools/exercises/outcome.py",
          "len(mine) != len(names) and case not in ended_by", "False and case not in ended_by",
          "exercises_grade Parts"),
    judge("fresh_inputs_are_forgiven", "tools/grading/judge.py",
          "if not judged(fresh, right, SLACK).passed:", "if fresh.error:", "exercises_grade Class"),
    judge("any_mistake_has_a_name", "tools/exercises/verdict.py",
          "return bool(mine) and mine.keys() == other.keys() == explained(mine, other)",
          "return bool(mine) and mine.keys() == other.keys()", "exercises Reports"),

    page("weights_are_shown_transposed", "common/page/numbers.js",
         "numbers[i] = block.low + block.step * whole[i]",
         "numbers[i] = block.low + block.step * whole[numbers.length - 1 - i]"),
    page("rounded_down_by_a_step", "common/plot/explorer.cpp",
         "std::clamp(std::round((static_cast<double>(number) - low) / step), 0.0, steps)",
         "std::clamp(std::floor((static_cast<double>(number) - low) / step) - 1, 0.0, steps)"),
    page("gradient_of_another_step", "common/page/trace.js",
         "gradient_of.set(step.of, i)", "gradient_of.set(step.number, i)",
         "trace Trace.test_the_page_steps_forward_and_back_and_to_the_gradient"),
    page("heat_map_upside_down", "common/plot/heatmap.cpp",
         "any ? Range{std::min(range.first, value), std::max(range.second, value)}",
         "any ? Range{std::max(range.first, value), std::min(range.second, value)}", "plot"),

    live("positions_in_halves", "live/positions.cpp",
         "PositionLayout::interleaved, base", "PositionLayout::halves, base"),
    live("scale_twice", "live/switches.cpp",
         "w_q.bias = scale(w_q.bias, root_dk)", "w_q.bias = scale(w_q.bias, root_dk * root_dk)",
         "live_sessions", "live"),
    live("clock_hand_goes_down", "live/page/positions.js",
         "x2: 19 * cosine, y2: -19 * sine", "x2: 19 * cosine, y2: 19 * sine",
         "live_page Panels.test_positions_follow_base_and_place"),
    live("heads_change_places", "live/switches.cpp",
         "if (static_cast<int>(i) % d_model / d_k == head) numbers[i] = 0",
         "if (static_cast<int>(i) % d_model / d_k != head) numbers[i] = 0", "live_sessions"),

    docs("a_number_in_prose", "docs/en/02_attention.md",
         "than guessing (2.079)", "than guessing (3.079)"),
    docs("a_sentence_about_a_picture", "README.md", "it looks at *watched*",
         "it looks at *in*"),
    docs("a_number_about_the_film", "README.md", "and 585 without", "and 485 without"),
    docs("a_figure_of_speed", "docs/results/speed.md", "best setting gave a ratio of 2.40",
         "best setting gave a ratio of 2.97"),
    docs("a_section_that_is_not_there", "docs/zh/07_transformer.md",
         "(05_encoder.md#编码器学到了什么)第 8 节", "(05_encoder.md#编码器学到了什么)第 18 节"),
)
