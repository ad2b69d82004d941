#include "tensor/stored_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/embedding/embedding.hpp"
#include "ops/linear/linear.hpp"
#include "ops/matmul/decoding_session.hpp"
#include "ops/matmul/product_choice.hpp"
#include "support/grad_check.hpp"
#include "support/repeated.hpp"
#include "support/threads.hpp"

namespace xf::test {

namespace {

const StoredFormat* const kept_formats[] = {&bf16_format, &f16_format,  &q8_0_format, &q4_0_format,
                                            &q4_1_format, &q5_0_format, &q5_1_format, &q4_k_format,
                                            &q5_k_format, &q6_k_format};
const StoredFormat* const whole_formats[] = {&q8_0_format, &q4_0_format, &q4_1_format, &q5_0_format,
                                             &q4_k_format};

// Where the float16 numbers of a block are: from a place on, so many.
std::pair<std::size_t, std::size_t> halves_of(const StoredFormat& format) {
  if (&format == &q6_k_format) return {208, 1};
  const bool two = &format == &q4_1_format || &format == &q5_1_format || format.block == 256;
  return {0, two ? 2 : 1};
}

// A matrix of random bytes of this format, whose float16 numbers lie between 2^-8 and 2^-4.
struct Kept {
  std::shared_ptr<std::vector<char>> bytes;
  Tensor tensor, floats;

  Kept(const StoredFormat& format, int rows, int columns, std::uint64_t seed = 1)
      : bytes(std::make_shared<std::vector<char>>(std::size_t(rows) * std::size_t(columns) /
                                                  std::size_t(format.block) * format.bytes)) {
    Random random(seed);
    for (char& byte : *bytes) byte = char(random.bits() >> 24);
    const auto [start, halves] = halves_of(format);
    for (std::size_t first = start; first < bytes->size(); first += format.bytes)
      for (std::size_t i = first + 1; i < first + 2 * halves; i += 2) {
        const int sign = (*bytes)[i] & 0x80, low = (*bytes)[i] & 15;
        (*bytes)[i] = char(sign | ((&format == &bf16_format ? 0x30 : 0x20) + low));
      }
    tensor = Tensor::over({rows, columns}, {&format, bytes->data(), columns}, bytes);
    std::vector<float> numbers(std::size_t(rows) * std::size_t(columns));
    format.read(bytes->data(), std::ssize(numbers), numbers.data());
    floats = Tensor::from({rows, columns}, numbers);
  }
};

class InArithmetic {
 public:
  explicit InArithmetic(Arithmetic wanted) : before_(arithmetic()) { set_arithmetic(wanted); }
  ~InArithmetic() { set_arithmetic(before_); }

 private:
  Arithmetic before_;
};

}  // namespace

TEST_CASE("stored rows: blocks worked by hand") {
  // float16: 0.5, -1; bfloat16: 1, -2.
  const auto read = [](const StoredFormat& format, const std::string& block, int count) {
    std::vector<float> x(std::size_t(count), 0.0f);
    format.read(block.data(), count, x.data());
    return x;
  };
  CHECK(read(bf16_format, std::string("\x80\x3f\x00\xc0", 4), 2) == std::vector<float>{1, -2});
  CHECK(read(f16_format, std::string("\x00\x38\x00\xbc", 4), 2) == std::vector<float>{.5f, -1});
  // The least of float16, the largest subnormal one, the largest.
  CHECK(read(f16_format, std::string("\x01\x00\xff\x03\xff\xfb", 6), 3) ==
        std::vector<float>{0x1p-24f, 1023 * 0x1p-24f, -65504});
  CHECK(std::isinf(read(f16_format, std::string("\x00\x7c", 2), 1)[0]));
  CHECK(std::isnan(read(f16_format, std::string("\x01\xfc", 2), 1)[0]));
  std::string block = std::string("\x00\x38", 2) + std::string(32, '\x81');
  CHECK(read(q8_0_format, block, 32) == std::vector<float>(32, -63.5f));
  std::vector<float> halves(32, -2.5f);  // .5 (3 - 8), .5 (15 - 8)
  std::fill(halves.begin() + 16, halves.end(), 3.5f);
  CHECK(read(q4_0_format, std::string("\x00\x38", 2) + std::string(16, '\xf3'), 32) == halves);
  for (float& x : halves) x += 3;  // .5 q - 1
  CHECK(read(q4_1_format, std::string("\x00\x38\x00\xbc", 4) + std::string(16, '\xf3'), 32) ==
        halves);
  // A fifth bit for the numbers 16 to 31: .5 (3 - 16), .5 (31 - 16); .5 q - 1.
  std::fill(halves.begin(), halves.begin() + 16, -6.5f);
  std::fill(halves.begin() + 16, halves.end(), 7.5f);
  const std::string fifths("\x00\x00\xff\xff", 4);
  CHECK(read(q5_0_format, std::string("\x00\x38", 2) + fifths + std::string(16, '\xf3'), 32) ==
        halves);
  for (float& x : halves) x += 7;
  CHECK(read(q5_1_format, std::string("\x00\x38\x00\xbc", 4) + fifths + std::string(16, '\xf3'),
             32) == halves);
}

TEST_CASE("stored rows: a block of 256 worked by hand") {
  const auto read = [](const StoredFormat& format, const std::string& block) {
    std::vector<float> x(256, 0.0f);
    REQUIRE(block.size() == format.bytes);
    format.read(block.data(), 256, x.data());
    return x;
  };
  // d = .5 and m = 1. Groups 0 to 3 have the scales 1, 2, 3, 4 and the least numbers 5, 6, 7, 8;
  // group 4 has scale 9 + 16 and least 10 + 32, whose upper bits lie above those of group 0; the
  // others have 0. Each byte of nibbles is 3 and 15 for groups 0 to 5, and 0 beyond.
  const std::string steps("\x00\x38\x00\x3c\x41\x02\x03\x04\x85\x06\x07\x08\xa9\x00\x00\x00", 16);
  const std::string nibbles = std::string(96, '\xf3') + std::string(32, '\0');
  std::vector<float> wanted(256, 0.0f);
  const float numbers[] = {.5f * 3 - 5, 15 - 6, 1.5f * 3 - 7, 2 * 15 - 8, 12.5f * 3 - 42};
  for (int i = 0; i < 5 * 32; ++i) wanted[std::size_t(i)] = numbers[i / 32];
  CHECK(read(q4_k_format, steps + nibbles) == wanted);
  // The fifth bit of group 1 in every second number.
  const std::string fifths = repeated(std::string("\x02\x00", 2), 16);
  for (std::size_t i = 32; i < 64; i += 2) wanted[i] += 16;
  CHECK(read(q5_k_format, steps + fifths + nibbles) == wanted);
  // Q6_K: lower bits 3 and 15, upper bits 0, 1, 2, 3 of the four parts, all scales 2 but the last,
  // which is -1; d = .5.
  const std::string scales = std::string(15, '\x02') + "\xff";
  const float parts[] = {3 - 32, 3 + 16 - 32, 15 + 32 - 32, 15 + 48 - 32};
  for (int i = 0; i < 256; ++i) wanted[std::size_t(i)] = (i < 240 ? 1 : -.5f) * parts[i % 128 / 32];
  CHECK(read(q6_k_format, std::string(128, '\xf3') + std::string(64, '\xe4') + scales +
                              std::string("\x00\x38", 2)) == wanted);
}

TEST_CASE("stored rows: products have the digits of weights that were converted before") {
  const Threads restored;
  std::vector<Arithmetic> built = {Arithmetic::same};
#ifdef XF_HAS_FAST
  built.push_back(Arithmetic::fast);
#endif
  for (const Arithmetic wanted : built) {
    const InArithmetic used(wanted);
    for (const StoredFormat* format : kept_formats)
      for (const auto& [out, in] : {std::pair{1, 32}, {70, 96}, {300, 576}, {41, 1536}}) {
        if (in % format->block != 0) continue;
        const Kept weight(*format, out, in);
        const Tensor bias = random_leaf({out}, 3);
        for (int rows : {1, 2, 4, 5, 70, 300}) {
          const Tensor x = random_leaf({rows, in}, 2);
          for (int count : {1, 2, 3}) {
            set_threads(count);
            CAPTURE(format->dtype);
            CAPTURE(out);
            CAPTURE(rows);
            expect_same("linear", linear(x, weight.tensor, bias), linear(x, weight.floats, bias));
            const std::vector<Tensor> all = linear(x, {{weight.tensor, {}}, {weight.tensor, bias}});
            const std::vector<Tensor> expected =
                linear(x, {{weight.floats, {}}, {weight.floats, bias}});
            expect_same("the first", all[0], expected[0]);
            expect_same("the second", all[1], expected[1]);
          }
        }
        CHECK(weight.tensor.stored() != nullptr);
      }
  }
}

#ifdef XF_HAS_FAST

namespace {

// All products by the one that makes floats in registers.
struct FewRowsAlone {
  InArithmetic fast{Arithmetic::fast};
  FewRowsAlone() { kernel::force_path(kernel::ProductPath::few_rows); }
  ~FewRowsAlone() { kernel::force_path(std::nullopt); }
};

}  // namespace

TEST_CASE("stored rows: products in registers worked by hand") {
  const FewRowsAlone few_rows;
  // x is 1 for the first half of the numbers and 2 for the second.
  const auto product = [](const StoredFormat& format, const std::string& row, int count) {
    const auto bytes = std::make_shared<std::string>(row);
    const Tensor weight = Tensor::over({1, count}, {&format, bytes->data(), count}, bytes);
    std::vector<float> x(std::size_t(count), 1.0f);
    std::fill(x.begin() + count / 2, x.end(), 2.0f);
    return linear(Tensor::from({1, count}, x), weight, {}).values()[0];
  };
  // (1 - 2) 4 and (1 - 2) 4 2; (.5 - 1) 4 and (.5 - 1) 4 2.
  CHECK(product(bf16_format, repeated(std::string("\x80\x3f\x00\xc0", 4), 8), 16) == -12);
  CHECK(product(f16_format, repeated(std::string("\x00\x38\x00\xbc", 4), 8), 16) == -6);
  // 16 (-63.5) (1 + 2); 16 (-2.5) + 16 (3.5) 2; 16 (.5) + 16 (6.5) 2.
  CHECK(product(q8_0_format, std::string("\x00\x38", 2) + std::string(32, '\x81'), 32) == -3048);
  CHECK(product(q4_0_format, std::string("\x00\x38", 2) + std::string(16, '\xf3'), 32) == 72);
  CHECK(product(q4_1_format, std::string("\x00\x38\x00\xbc", 4) + std::string(16, '\xf3'), 32) ==
        216);
}

TEST_CASE("stored rows: in registers every number is the one that is read") {
  const FewRowsAlone few_rows;
  for (const StoredFormat* format : kept_formats)
    for (const auto& [out, in] : {std::pair{1, 32}, {9, 64}, {12, 96}, {7, 70}, {5, 15}, {9, 512}})
      for (int rows : {1, 2, 3, 4, 5}) {
        if (in % format->block != 0) continue;
        const Kept weight(*format, out, in);
        const Tensor x = random_leaf({rows, in}, 2);
        CAPTURE(format->dtype);
        CAPTURE(in);
        CAPTURE(rows);
        expect_same("x W^T", linear(x, weight.tensor, {}), linear(x, weight.floats, {}));
      }
  // All finite numbers of 16 bits: in a row those of one sign and exponent.
  for (const auto& [format, fraction] : {std::pair{&f16_format, 10}, {&bf16_format, 7}}) {
    const int columns = 1 << fraction, exponents = (1 << (15 - fraction)) - 1;
    const auto bytes = std::make_shared<std::vector<std::uint16_t>>();
    for (int top = 0; top < 2 * (exponents + 1); ++top)
      for (int low = 0; low < columns && top % (exponents + 1) != exponents; ++low)
        bytes->push_back(static_cast<std::uint16_t>(top << fraction | low));
    const StoredRows rows{format, reinterpret_cast<const char*>(bytes->data()), columns};
    const Shape shape{2 * exponents, columns};
    std::vector<float> floats(bytes->size());
    rows.read(2 * exponents, floats.data());
    const Tensor x = random_leaf({1, columns}, 4, .001);
    expect_same(format->dtype, linear(x, Tensor::over(shape, rows, bytes), {}),
                linear(x, Tensor::from(shape, floats), {}));
  }
}

#endif

TEST_CASE("stored rows: an embedding reads the rows that it needs") {
  for (const StoredFormat* format : kept_formats) {
    const Kept table(*format, 20, 256);
    const Ids ids({2, 3}, {19, 0, 7, 7, 3, 1});
    expect_same(format->dtype, embedding(ids, table.tensor), embedding(ids, table.floats));
    CHECK(table.tensor.stored() != nullptr);
  }
}

TEST_CASE("stored rows: who asks for the numbers gets floats, and who writes changes those") {
  for (const StoredFormat* format : kept_formats) {
    const int in = std::max(32, format->block);
    Kept weight(*format, 5, in);
    CHECK(weight.tensor.values() == weight.floats.values());
    const Tensor x = random_leaf({2, in}, 1);
    expect_same("read", linear(x, weight.tensor, {}), linear(x, weight.floats, {}));
    for (Tensor* tensor : {&weight.tensor, &weight.floats}) copy_into(*tensor, {7.0f}, in + 1);
    CHECK(weight.tensor.stored() == nullptr);
    expect_same("written", linear(x, weight.tensor, {}), linear(x, weight.floats, {}));
  }
}

TEST_CASE("stored rows: gradients of what lies before them") {
  const Kept weight(q4_1_format, 6, 32);
  const Tensor x = random_leaf({3, 32}, 1, .1);
  check_gradients("linear", {{"x", x}}, [&] { return linear(x, weight.tensor, {}); });
}

TEST_CASE("stored rows: in 8 bits blocks of whole numbers are taken as they are") {
  const Threads restored;
  for (const StoredFormat* format : whole_formats)
    for (const auto& [out, in] : {std::pair{300, 64}, {70, 288}, {41, 1536}})
      for (int rows : {1, 2, 3, 5, 6, 7, 70}) {
        if (in % format->block != 0) continue;
        const Kept weight(*format, out, in);
        // Whole numbers, and one of 127 in each block: nothing of x is rounded.
        Tensor x = detach(random_leaf({rows, in}, 2, 30)).clone();
        replace_each(x, [](float v) { return std::clamp(std::nearbyint(v), -127.0f, 127.0f); });
        for (int i = 0; i < rows * in; i += WholeBlock::size) copy_into(x, {127.0f}, i);
        const Values xs = x.values();
        std::vector<float> wanted;
        for (int i = 0; i < rows; ++i)
          for (int j = 0; j < out; ++j) {
            float total = 0;
            for (int p = 0; p < in; p += WholeBlock::size) {
              WholeBlock block;
              format->read_whole(weight.tensor.stored()->from(j).first +
                                     p / format->block * std::ptrdiff_t(format->bytes),
                                 p % format->block / WholeBlock::size, block);
              long sum = 0, of_x = 0;
              for (int q = 0; q < WholeBlock::size; ++q) {
                const long number = std::lrint(xs[std::ptrdiff_t(i) * in + p + q]);
                sum += number * block.q[q], of_x += number;
              }
              total += float(sum) * block.step;
              if (format->bits == 4) total += block.least * float(of_x);
            }
            wanted.push_back(total);
          }
        const DecodingSession session({weight.tensor}, WeightPrecision::int8);
        const InArithmetic same(Arithmetic::same);
        for (int count : {1, 3}) {
          set_threads(count);
          CAPTURE(format->dtype);
          CAPTURE(rows);
          CAPTURE(in);
          expect_same("x W^T", linear(x, weight.tensor, {}), Tensor::from({rows, out}, wanted));
        }
      }
}

TEST_CASE("stored rows: in 8 bits other kinds are rounded as their floats are") {
  for (const auto& [format, in] : {std::pair{&bf16_format, 70},
                                   {&f16_format, 70},
                                   {&q5_1_format, 96},
                                   {&q5_k_format, 512},
                                   {&q6_k_format, 512}}) {
    const Kept weight(*format, 300, in);
    const Tensor x = random_leaf({5, in}, 2);
    const DecodingSession session({weight.tensor, weight.floats}, WeightPrecision::int8);
    expect_same("linear", linear(x, weight.tensor, {}), linear(x, weight.floats, {}));
  }
}

TEST_CASE("stored rows: sizes that do not fit are refused") {
  const Kept weight(q4_1_format, 5, 64);
  expect_error([&] { linear(zeros(2, 32), weight.tensor, {}); },
               {"linear", "x is (2, 32)", "(5, 64)"});
  const auto over = [&](const Shape& shape, int columns) {
    return Tensor::over(shape, {&q4_1_format, weight.bytes->data(), columns}, weight.bytes);
  };
  expect_error([&] { over({5, 48}, 48); }, {"(5, 48)", "rows of 48", "blocks of 32"});
  expect_error([&] { over({5, 32}, 64); }, {"(5, 32)", "rows of 64"});
  expect_error([&] { over({320}, 64); }, {"(320)", "rows of 64"});
}

}  // namespace xf::test
