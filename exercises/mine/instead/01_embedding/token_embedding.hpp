#pragma once

#define TokenEmbedding TokenEmbeddingOfTheBook
#include "chapters/01_embedding/token_embedding.hpp"
#undef TokenEmbedding

namespace xf {

struct TokenEmbedding : TokenEmbeddingOfTheBook {
  using TokenEmbeddingOfTheBook::TokenEmbeddingOfTheBook;
  Tensor operator()(const Ids& ids) const;
};

}  // namespace xf
