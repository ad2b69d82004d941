#pragma once

#define FeedForward FeedForwardOfTheBook
#include "chapters/04_feed_forward/feed_forward.hpp"
#undef FeedForward

namespace xf {

struct FeedForward : FeedForwardOfTheBook {
  using FeedForwardOfTheBook::FeedForwardOfTheBook;
  float output_dropout = 0;  // used if the layer around it applies none
  Tensor operator()(const Tensor& x) const;
};

}  // namespace xf
