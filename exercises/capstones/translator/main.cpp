// Capstone B: makes the files of a translator's training, and analyses what it translated.

#include <algorithm>
#include <CLI/App.hpp>
#include <iomanip>
#include <iostream>
#include <memory>
#include <set>

#include "io/files.hpp"
#include "io/utf8.hpp"
#include "program/program.hpp"
#include "speech/show.hpp"
#include "text/bleu_tokens.hpp"
#include "text/corpus.hpp"
#include "translator/1_pairs/exercise.hpp"
#include "translator/2_errors/exercise.hpp"

namespace xf {

namespace {

using Lines = std::vector<std::string>;

// ---- prepare

struct Prepare {
  std::string pairs, source, target;
  bool characters = false;
  int valid = 500, test = 500, largest = 4;
  exercise::Limits limits;
};

// Characters with blanks between them: where a language has none, a character counts as a word.
std::string spaced(const std::string& sentence) {
  std::string out;
  for (const std::string& character : code_points(sentence))
    if (character != " ") out += (out.empty() ? "" : " ") + character;
  return out;
}

std::vector<exercise::Pair> read_pairs(const Prepare& f) {
  std::vector<exercise::Pair> pairs;
  const auto add = [&](const std::string& source, const std::string& target) {
    pairs.push_back({source, f.characters ? spaced(target) : target});
  };
  if (!f.pairs.empty()) {
    int number = 0;
    for (const std::string& line : read_lines(f.pairs)) {
      ++number;
      const std::size_t tab = line.find('\t');
      if (tab == line.npos)
        throw UserError(f.pairs + ":" + std::to_string(number) + ": there is no tab");
      const std::size_t end = line.find('\t', tab + 1);  // what follows is of no pair
      add(line.substr(0, tab), line.substr(tab + 1, end == line.npos ? end : end - tab - 1));
    }
    return pairs;
  }
  if (f.source.empty() || f.target.empty())
    throw UserError("--pairs, or --src and --tgt, are wanted");
  const Lines sources = read_lines(f.source), targets = read_lines(f.target);
  if (sources.size() != targets.size())
    throw UserError("--tgt: " + std::to_string(targets.size()) + " lines, --src has " +
                    std::to_string(sources.size()));
  for (std::size_t i = 0; i < sources.size(); ++i) add(sources[i], targets[i]);
  return pairs;
}

// How many pairs of a part share a side with a training pair.
int leaks(const std::vector<exercise::Pair>& pairs, const std::vector<exercise::Part>& parts,
          exercise::Part part) {
  std::set<std::string> sources, targets;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (parts[i] != exercise::Part::train) continue;
    sources.insert(pairs[i].source);
    targets.insert(pairs[i].target);
  }
  int count = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    count += parts[i] == part && (sources.count(pairs[i].source) || targets.count(pairs[i].target));
  return count;
}

void write_part(const CommonOptions& common, const Prepare& f, const std::string& name,
                const std::vector<exercise::Pair>& pairs, const std::vector<exercise::Part>& parts,
                exercise::Part part) {
  std::string both, sources, targets;
  int count = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (parts[i] != part) continue;
    const std::string target = f.characters ? replaced(pairs[i].target, " ", "") : pairs[i].target;
    both += pairs[i].source + "\t" + target + "\n";
    sources += pairs[i].source + "\n";
    targets += target + "\n";
    ++count;
  }
  write_file_atomically(output_path(common, name + ".tsv"), both);
  write_file_atomically(output_path(common, name + ".src"), sources);
  write_file_atomically(output_path(common, name + ".tgt"), targets);
  std::cout << std::setw(8) << count << " " << name;
  if (part != exercise::Part::train)
    std::cout << ", of which " << leaks(pairs, parts, part) << " share a side with a training pair";
  std::cout << "\n";
}

int prepare(const Prepare& f, const CommonOptions& common) {
  const std::vector<exercise::Pair> all = read_pairs(f), pairs = exercise::cleaned(all, f.limits);
  Random random(common.seed);
  const std::vector<exercise::Part> parts =
      exercise::split(pairs, f.valid, f.test, f.largest, random);
  const std::vector<int> groups = exercise::groups(pairs);
  const int count = groups.empty() ? 0 : 1 + *std::max_element(groups.begin(), groups.end());
  std::cout << std::setw(8) << all.size() << " pairs read\n"
            << std::setw(8) << pairs.size() << " are left, in " << count << " groups\n";
  std::vector<exercise::Part> dealt(pairs.size(), exercise::Part::train);
  const std::size_t tested = std::min(dealt.size(), std::size_t(f.test));
  std::fill_n(dealt.begin(), tested, exercise::Part::test);
  random.shuffle(dealt.begin(), dealt.end());
  std::cout << std::setw(8) << leaks(pairs, dealt, exercise::Part::test) << " of " << tested
            << " test pairs dealt out one by one would share a side with a training pair\n";
  write_part(common, f, "train", pairs, parts, exercise::Part::train);
  write_part(common, f, "valid", pairs, parts, exercise::Part::valid);
  write_part(common, f, "test", pairs, parts, exercise::Part::test);
  return 0;
}

Command add_prepare(CLI::App& app) {
  auto f = std::make_shared<Prepare>();
  app.add_option("--pairs", f->pairs, "the pairs, one source TAB target per line");
  app.add_option("--src", f->source, "instead: the sources, one per line");
  app.add_option("--tgt", f->target, "and their translations, line by line");
  app.add_flag("--characters", f->characters, "a character of the target counts as a word");
  integer_flag(app, "--valid", f->valid, "pairs to validate with", 0);
  integer_flag(app, "--test", f->test, "pairs to test with", 0);
  integer_flag(app, "--largest", f->largest, "larger groups are for training", 1);
  integer_flag(app, "--most", f->limits.most, "the most words of a side", 1);
  app.add_option("--ratio", f->limits.ratio, "the largest ratio of two lengths")
      ->check(positive_problem)
      ->capture_default_str();
  return [f](const CommonOptions& common) { return prepare(*f, common); };
}

// ---- analyse
// -------------------------------------------------------------------------------------

struct Analyse {
  std::string source, reference, translation, other, tokens = "13a";
  int samples = 1000;
};

std::vector<exercise::Sentence> sentences(const Analyse& f, const std::string& path,
                                          std::size_t lines, const char* flag) {
  BleuOptions options;
  const auto names = names_of(BleuTokens{});
  options.tokens =
      static_cast<BleuTokens>(std::find(names.begin(), names.end(), f.tokens) - names.begin());
  std::vector<exercise::Sentence> found;
  for (const std::string& line : read_lines(path)) found.push_back(bleu_tokens(line, options));
  if (found.size() != lines)
    throw UserError(std::string(flag) + ": " + std::to_string(found.size()) + " lines, --src has " +
                    std::to_string(lines));
  return found;
}

std::string share(long count, std::size_t of) {
  return std::to_string(count) + " (" + fixed(100 * double(count) / double(of), 1) + "%)";
}

int analyse(const Analyse& f, const CommonOptions& common) {
  std::vector<exercise::Sentence> sources;
  for (const std::string& line : read_lines(f.source)) {
    const auto words = split_words(line);
    sources.emplace_back(words.begin(), words.end());
  }
  if (sources.empty()) throw UserError("--src: " + f.source + " has no line");
  const std::size_t lines = sources.size();
  const auto references = sentences(f, f.reference, lines, "--reference");
  const auto translations = sentences(f, f.translation, lines, "--translation");
  const auto counted = [&](const std::vector<exercise::Sentence>& system) {
    std::vector<exercise::Counts> list;
    for (std::size_t i = 0; i < lines; ++i)
      list.push_back(exercise::counts(system[i], references[i]));
    return list;
  };
  const std::vector<exercise::Counts> counts = counted(translations);
  std::cout << "BLEU " << fixed(exercise::bleu(counts), 2) << " (" << f.tokens << ") of " << lines
            << " sentences\n";

  const std::vector<int> limits = {5, 8, 12, 20};
  std::vector<int> lengths;
  for (const exercise::Sentence& source : sources)
    lengths.push_back(static_cast<int>(source.size()));
  const std::vector<double> scores = exercise::bleu_by_length(counts, lengths, limits);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const int low = i ? limits[i - 1] + 1 : 1;
    const auto count = std::count_if(lengths.begin(), lengths.end(), [&](int length) {
      return length >= low && (i == limits.size() || length <= limits[i]);
    });
    if (count == 0) continue;
    std::cout << "  source of " << low
              << (i < limits.size() ? " to " + std::to_string(limits[i]) : " and more")
              << " words: BLEU " << fixed(scores[i], 2) << ", " << count << " sentences\n";
  }

  long repeats = 0, too_short = 0, too_long = 0, copies = 0, right = 0;
  for (std::size_t i = 0; i < lines; ++i) {
    const exercise::Signs s = exercise::signs(sources[i], translations[i], references[i]);
    repeats += s.repeats;
    too_short += s.too_short;
    too_long += s.too_long;
    copies += s.copies;
    right += translations[i] == references[i];
  }
  std::cout << "equal to the reference " << share(right, lines) << "; repeats "
            << share(repeats, lines) << "; too short " << share(too_short, lines) << "; too long "
            << share(too_long, lines) << "; copies " << share(copies, lines) << "\n";

  if (f.other.empty()) return 0;
  const std::vector<exercise::Counts> others = counted(sentences(f, f.other, lines, "--other"));
  Random random(common.seed);
  std::cout << "the other: BLEU " << fixed(exercise::bleu(others), 2)
            << "; this one has the higher BLEU in "
            << fixed(100 * exercise::share_won(counts, others, f.samples, random), 1) << "% of "
            << f.samples << " draws\n";
  return 0;
}

Command add_analyse(CLI::App& app) {
  auto f = std::make_shared<Analyse>();
  app.add_option("--src", f->source, "the sources, one per line")->required();
  app.add_option("--reference", f->reference, "their translations by people")->required();
  app.add_option("--translation", f->translation, "their translations by the model")->required();
  app.add_option("--other", f->other, "those of another model, to be compared");
  app.add_option("--bleu-tokens", f->tokens, "13a, zh, char or none")
      ->check([](const std::string& name) {
        const auto names = names_of(BleuTokens{});
        return std::find(names.begin(), names.end(), name) != names.end() ? ""
                                                                          : "13a, zh, char or none";
      })
      ->capture_default_str();
  integer_flag(app, "--samples", f->samples, "draws to compare two models with", 1);
  return [f](const CommonOptions& common) { return analyse(*f, common); };
}

}  // namespace

}  // namespace xf

int main(int argc, char** argv) {
  const auto none = [](const xf::CommonOptions&) -> int {
    throw xf::UserError("prepare or analyse? --help tells of both");
  };
  return xf::run_commands(
      argc, argv, "Capstone B: a translator for a pair of one's own", "out/capstones/translator",
      {{"prepare", "clean pairs, and split them so that nothing leaks", xf::add_prepare},
       {"analyse", "BLEU by length, signs of errors, and whether a change helps", xf::add_analyse}},
      none, 1);
}
