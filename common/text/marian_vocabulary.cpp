#include "text/marian_vocabulary.hpp"

#include <algorithm>
#include <stdexcept>

#include "io/printable.hpp"
#include "tensor/error.hpp"
#include "text/vocabulary.hpp"

namespace xf {

namespace {

int checked(const std::vector<int>& list, int index) {
  if (index < 0 || index >= static_cast<int>(list.size()))
    throw std::invalid_argument("marian_vocabulary: id " + std::to_string(index) + " of " +
                                std::to_string(list.size()));
  return list[static_cast<std::size_t>(index)];
}

}  // namespace

MarianVocabulary MarianVocabulary::read(const std::string& path) {
  MarianVocabulary all;
  all.pieces_ = TokenTable::read(path);
  const auto count = static_cast<int>(all.pieces_.count());
  if (const int last = all.pieces_.last(); last >= count)
    throw UserError("{}: {}: {}, but the ids of {} pieces end at {}", path,
                    shortened(all.pieces_.token(last)), last, count, count - 1);
  const auto special = [&](const char* piece) {
    const int number = all.pieces_.find(piece);
    if (number < 0) throw UserError("{}: {}: {}", path, std::string(piece), "the key is missing");
    return number;
  };
  const int pad = special("<pad>"), eos = special("</s>"), unk = special("<unk>");
  all.published_ = {pad, pad, eos, unk};
  for (int i = 0; i < count; ++i)
    if (i != pad && i != eos && i != unk) all.published_.push_back(i);
  all.own_.resize(all.pieces_.count());
  for (int id = bos_id; id < all.size(); ++id)
    all.own_[static_cast<std::size_t>(all.published(id))] = id;
  for (const char* text : {"</s>", "<unk>", "<pad>"})
    all.added_.add({.text = text, .id = all.pieces_.find(text), .normalized = false});
  all.added_.finish([](std::string_view text) { return std::string(text); });
  return all;
}

void MarianVocabulary::enlarge(int pieces, const std::vector<AddedToken>& beside) {
  const int count = size() - 1;
  TokenTable all;
  for (int number = 0; number < count; ++number) all.add(pieces_.token(number), number);
  int next = count;
  added_ = {};
  for (AddedToken token : beside) {
    const int known = pieces_.find(token.text);
    if (token.id < 0) token.id = known >= 0 ? known : next;
    const std::string text = shortened(token.text);
    if (known >= 0 && token.id != known)
      throw UserError("{}: {} has the id {}, but {} in the vocabulary", token.place, text, token.id,
                      known);
    if (known < 0 && token.id < count)
      throw UserError("{}: {} has the id {}, which a piece of the vocabulary also has", token.place,
                      text, token.id);
    if (token.id >= pieces)
      throw UserError("{}: {} has the id {}, but the model has {} pieces", token.place, text,
                      token.id, pieces);
    if (known < 0) all.add(token.text, token.id);
    next = std::max(next, token.id + 1);
    token.normalized = false;
    added_.add(token);
  }
  for (const int id : {bos_id, eos_id, unk_id})
    if (!added_.find(piece(id)))
      added_.add({.text = std::string(piece(id)), .id = published(id), .normalized = false});
  added_.finish([](std::string_view text) { return std::string(text); });
  all.finish("added tokens");
  pieces_ = std::move(all);
  for (int number = count; number < pieces; ++number) {
    own_.push_back(size());
    published_.push_back(number);
  }
}

std::string_view MarianVocabulary::piece(int id) const { return pieces_.token(published(id)); }

int MarianVocabulary::id(std::string_view piece) const {
  const int number = pieces_.find(piece);
  return number < 0 ? unk_id : own(number);
}

int MarianVocabulary::published(int id) const { return checked(published_, id); }
int MarianVocabulary::own(int published) const { return checked(own_, published); }

}  // namespace xf
