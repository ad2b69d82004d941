#include "cuda/block_cache.hpp"

#include <doctest/doctest.h>

namespace xf::test {

using cuda::BlockCache;

TEST_CASE("block cache: eight sizes between two powers of two") {
  CHECK(BlockCache::size_for(0) == 512);
  CHECK(BlockCache::size_for(1) == 512);
  CHECK(BlockCache::size_for(512) == 512);
  CHECK(BlockCache::size_for(513) == 576);
  CHECK(BlockCache::size_for(1024) == 1024);
  CHECK(BlockCache::size_for(1025) == 1152);
  CHECK(BlockCache::size_for((std::size_t{1} << 33) + 1) == 9 * (std::size_t{1} << 30));
  for (std::size_t bytes = 1; bytes < 100000; ++bytes) {
    const std::size_t size = BlockCache::size_for(bytes);
    if (size < bytes || BlockCache::size_for(size) != size ||
        (bytes >= 512 && size > bytes + bytes / 8))
      FAIL(bytes);
  }
}

TEST_CASE("block cache: a block comes back for its size alone, each once") {
  BlockCache cache;
  int one = 0, two = 0, other = 0;
  CHECK(cache.take(512) == nullptr);
  cache.keep(&one, 512);
  cache.keep(&two, 3);  // released as it was asked for
  cache.keep(&other, 1024);
  CHECK(cache.take(576) == nullptr);
  CHECK(cache.take(512) == &two);
  CHECK(cache.take(100) == &one);
  CHECK(cache.take(512) == nullptr);
  cache.keep(&one, 512);
  CHECK(cache.take_all().size() == 2);
  CHECK(cache.take(1024) == nullptr);
  CHECK(cache.take_all().empty());
}

}  // namespace xf::test
