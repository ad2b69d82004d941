#include "io/base64.hpp"

#include <doctest/doctest.h>

#include <utility>

TEST_CASE("base64: the test vectors of RFC 4648, there and back") {
  for (const auto& [bytes, text] :
       {std::pair("", ""), std::pair("f", "Zg=="), std::pair("fo", "Zm8="),
        std::pair("foo", "Zm9v"), std::pair("foobar", "Zm9vYmFy"), std::pair("\xff\xfe", "//4=")}) {
    CHECK(xf::base64(bytes) == text);
    CHECK(xf::bytes_of_base64(text) == bytes);
  }
}

TEST_CASE("base64: what is none has no bytes") {
  for (const char* text : {"Zg=", "Zg", "Z!==", "Zm9v Zm9"}) CHECK_FALSE(xf::bytes_of_base64(text));
}
