#include "09_since_2017/lesson.hpp"
#include "09_since_2017/program/commands.hpp"

int main(int argc, char** argv) {
  using namespace xf;
  using namespace xf::since_2017;
  return run_commands(
      argc, argv,
      "Chapter 9: the Transformer since 2017, and published models. Without a subcommand it runs "
      "the lesson.",
      "out/09_since_2017",
      {{"generate",
        "continue a prompt with a published model: GPT-2, Llama, Mistral, Qwen2 or Qwen3",
        add_generate},
       {"chat", "talk with a published model that was made for it", add_chat},
       {"evaluate", "nats, bits per byte and perplexity of a text", add_evaluate},
       {"attend", "a web page of the attention of every layer and head", add_attend},
       {"heads", "what each head looks at: maps of all layers and heads, as a table and a web page",
        add_heads},
       {"lens", "what each layer would say, and how sure the model is of each token: a web page",
        add_lens},
       {"score", "the probability of each token of a text", add_score},
       {"tokens", "the ids of each line of a text, by a published tokenizer", add_tokens},
       {"ablation",
        "train small models with none, one or all of the parts as in 2017, and compare them",
        add_ablation}},
      lesson, 6);
}
