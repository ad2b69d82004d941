#include "support/test.hpp"
#include "exercise.hpp"

using namespace xf;

namespace {

int sized(int usual) { return exercise::given(usual, usual, usual + 12); }

struct Inputs {
  Tensor x, w_gate, w_up, w_down;

  Inputs(int usual_rows, int usual_d, int usual_f, float deviation = 1) {
    const int rows = sized(usual_rows), d = sized(usual_d), f = sized(usual_f);
    x = exercise::random({rows, d}, 941);
    w_gate = exercise::random({f, d}, 942, deviation);
    w_up = exercise::random({f, d}, 943);
    w_down = exercise::random({d, f}, 944);
  }
};

// By the engine's ops.
Tensor reference(const Inputs& in) {
  const Tensor gate = matmul(in.x, transpose(in.w_gate));
  const Tensor hidden = multiply(silu(gate), matmul(in.x, transpose(in.w_up)));
  return matmul(hidden, transpose(in.w_down));
}
Tensor own(const Inputs& in) {
  return from_xt(exercise::swiglu(to_xt<2>(in.x), to_xt<2>(in.w_gate), to_xt<2>(in.w_up),
                                  to_xt<2>(in.w_down)));
}

struct Gate {
  Tensor gate, up, dh;

  Gate(int usual_rows, int usual_f, float deviation = 1.5f, float of_up = 1)
      : gate(parameter(exercise::random({sized(usual_rows), sized(usual_f)}, 945, deviation))),
        up(parameter(exercise::random(gate.shape(), 946, of_up))),
        dh(exercise::random(gate.shape(), 947)) {}
};
Gradients engine(const Gate& in) {
  Tape tape;
  return tape.backward(weighted_sum(multiply(silu(in.gate), in.up), in.dh));
}
exercise::GateGradients gradients(const Gate& in) {
  return exercise::gate_backward(to_xt<2>(in.gate), to_xt<2>(in.up), to_xt<2>(in.dh));
}

}  // namespace

TEST_CASE("two thirds of the width, rounded up to a multiple") {
  const std::vector<std::pair<int, int>> sizes = {
      {exercise::given(2048), 1},
      {16384, 256},
      {exercise::given(100, 50, 300), exercise::given(8, 3, 20)},
      {exercise::given(1536, 1000, 4000), 128},
      {3 * 64, 32 * exercise::given(1, 1, 3)},
      {252, 1},
      {100, 1},
      {101, 1}};
  const auto number = [](int width) { return Tensor::from({1}, {float(width)}); };
  const auto wanted = [&](int plain, int multiple) {
    int width = 0;
    while (width < (plain * 2 - plain * 2 % 3) / 3) width += multiple;
    return number(width);
  };
  for (const auto& [plain, multiple] : sizes)
    COMPARE("equal_width(" + std::to_string(plain) + ", " + std::to_string(multiple) + ")",
            wanted(plain, multiple), number(exercise::equal_width(plain, multiple)));
}

TEST_CASE("one product decides how much of the other passes") {
  const Inputs in(3, 4, 6);
  COMPARE("y", reference(in), own(in));
}

TEST_CASE("a gate far from 0 is open or shut") {
  const Inputs in(2, 3, 5, 60);
  COMPARE("y, large gates", reference(in), own(in));
}

TEST_CASE("dup: what the gate let through") {
  const Gate in(3, 4);
  COMPARE_GRADIENT("dup", engine(in).of(in.up), from_xt(gradients(in).dup));
  const Gate far(2, 6, 60);
  COMPARE_GRADIENT("dup, large gates", engine(far).of(far.up), from_xt(gradients(far).dup));
  const Gate nothing(2, 3, 1.5f, 0);
  COMPARE_GRADIENT("dup, up is 0", engine(nothing).of(nothing.up), from_xt(gradients(nothing).dup));
}

TEST_CASE("dgate: the derivative of silu") {
  const Gate in(3, 5);
  COMPARE_GRADIENT("dgate", engine(in).of(in.gate), from_xt(gradients(in).dgate));
  const Gate far(2, 6, 60);
  COMPARE_GRADIENT("dgate, large gates", engine(far).of(far.gate), from_xt(gradients(far).dgate));
  const Gate zero(2, 3, 0);
  COMPARE_GRADIENT("dgate, gates of 0", engine(zero).of(zero.gate), from_xt(gradients(zero).dgate));
}
