// Lesson 0: the computation graph of section 1.

#include "00_foundations/lesson.hpp"
#include "autograd/tape.hpp"
#include "ops/elementwise/elementwise.hpp"
#include "plot/diagram.hpp"
#include "speech/show.hpp"

namespace xf::lesson_00 {
namespace {

// The derivative dL/dx at x = `at`, where `loss` computes L from x.
template <class Function>
double slope(double at, const Function& loss) {
  const Tensor x = parameter(Tensor::full({}, static_cast<float>(at)));
  Tape tape;
  return tape.backward(loss(x)).of(x).item();
}

std::string whole(double value) { return fixed(value, 0); }

}  // namespace

void computation_graph(const CommonOptions& options) {
  say("Where does a gradient come from? From the rule of each operation, one after the other. Take "
      "p = a w, q = p + a, L = q q at a = 2, w = 3: the tape goes back from L, and what reaches a "
      "along its two paths is added up.");
  const double a = 2, w = 3, p = a * w, q = p + a, loss = q * q;
  const auto square = [](const Tensor& x) { return x * x; };
  const double dq = slope(q, square);
  const double dp = slope(p, [&](const Tensor& x) { return square(x + Tensor::full({}, 2)); });
  const double dw =
      slope(w, [&](const Tensor& x) { return square(2.0f * x + Tensor::full({}, 2)); });
  const double da = slope(a, [&](const Tensor& x) { return square(3.0f * x + x); });
  claim(da == w * dp + dq && dw == a * dp, "what comes back along both paths is added");
  Diagram diagram("p = a w,  q = p + a,  L = q q: values go forward, gradients come back", 1020,
                  330);
  const auto node = [&](double x, double y, const Phrase& name, double value,
                        const std::string& gradient, const Ink& ink) {
    diagram.box(x, y, 170, 66, ink,
                {name, words("value {}", whole(value)), words("gradient {}", gradient)});
  };
  const TextStyle back{.size = 12.5, .anchor = "middle", .fill = ink::orange.line};
  diagram.arrow(200, 92, 318, 134);
  diagram.arrow(200, 222, 318, 158);
  diagram.arrow(200, 246, 578, 208);
  diagram.arrow(490, 146, 578, 180);
  diagram.arrow(750, 178, 828, 152);
  node(30, 60, "w", w, whole(dw), ink::gold);
  node(30, 210, "a (used twice)", a, whole(w * dp) + " + " + whole(dq) + " = " + whole(da),
       ink::gold);
  node(320, 112, "p = a w", p, whole(dp), ink::blue);
  node(580, 160, "q = p + a", q, whole(dq), ink::blue);
  node(830, 112, "L = q q", loss, "1", ink::blue);
  diagram.text(270, 98, "a * " + whole(dp) + " = " + whole(dw), back);
  diagram.text(220, 178, "w * " + whole(dp) + " = " + whole(w * dp), back);
  diagram.text(400, 246, "1 * " + whole(dq) + " = " + whole(dq), back);
  diagram.text(548, 142, "1 * " + whole(dq) + " = " + whole(dp), back);
  diagram.text(804, 198, "2 q * 1 = " + whole(dq), back);
  diagram.text(30, 306,
               "a is used twice: what comes back along both paths is added. Each arrow knows only "
               "its own rule.",
               {.size = 12.5});
  write_picture(options, "graph.svg", diagram.file());
}

}  // namespace xf::lesson_00
