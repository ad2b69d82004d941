#include "text/marian_vocabulary.hpp"

#include <stdexcept>

#include "io/json_object.hpp"
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
  const JsonObject file = JsonObject::read(path, JsonObject::tables);
  const std::vector<std::string> names = file.keys();
  const auto count = static_cast<int>(names.size());
  MarianVocabulary all;
  all.pieces_.resize(names.size());
  std::vector<bool> taken(names.size());
  for (const std::string& name : names) {
    const int number = file.integer(name, 0);
    if (number >= count)
      file.fail(name, std::to_string(number) + ", but the numbers of " + std::to_string(count) +
                          " pieces go to " + std::to_string(count - 1));
    const auto at = static_cast<std::size_t>(number);
    if (taken[at])
      file.fail(name, "has the number " + std::to_string(number) + " of " + all.pieces_[at]);
    taken[at] = true;
    all.pieces_[at] = name;
  }
  const int pad = file.integer("<pad>", 0), eos = file.integer("</s>", 0),
            unk = file.integer("<unk>", 0);
  all.published_ = {pad, pad, eos, unk};
  for (int i = 0; i < count; ++i)
    if (i != pad && i != eos && i != unk) all.published_.push_back(i);
  all.own_.resize(names.size());
  for (int id = bos_id; id < all.size(); ++id) {
    all.own_[static_cast<std::size_t>(all.published(id))] = id;
    all.ids_.emplace(all.piece(id), id);
  }
  return all;
}

const std::string& MarianVocabulary::piece(int id) const {
  return pieces_[static_cast<std::size_t>(published(id))];
}

int MarianVocabulary::id(std::string_view piece) const {
  const auto found = ids_.find(std::string(piece));
  return found == ids_.end() ? unk_id : found->second;
}

int MarianVocabulary::published(int id) const { return checked(published_, id); }
int MarianVocabulary::own(int published) const { return checked(own_, published); }

}  // namespace xf
