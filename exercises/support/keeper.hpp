#pragma once

// The keeper of an exercise: a second process, the judge's program, that has what a hand-in is
// asked about and must not have, such as which of several versions is the right one. It answers
// while the tests run. What it keeps is drawn by hidden() and its like (support/checks.hpp).

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tensor/tensor.hpp"

namespace xf::keeper {

using Tensors = std::vector<Tensor>;
using Function = std::function<Tensor(const Tensor&)>;

// What only the judge and the keeper know: a seed that XF_SECRET, which they alone have, makes
// another one for each hand-in. Without it, it is exercise::salted(seed).
std::uint64_t secret(std::uint64_t seed);
// Normal numbers of a secret seed.
Tensor hidden(const Shape& shape, std::uint64_t seed, float deviation = 1);
// 0 to count - 1; with XF_SECRET, in an order of its own.
std::vector<int> hidden_order(int count, std::uint64_t seed);
// What stands for "yes" where the keeper says it: 1; with XF_SECRET, a number that none can guess.
float yes(const std::string& to_what);

// What the keeper answers. `functions` are those that it may call while it does. Throws
// std::invalid_argument where it refuses, std::runtime_error where there is no keeper.
Tensors ask(const std::string& what, const Tensors& about,
            const std::map<std::string, Function>& functions = {});

// In the keeper: who answers when `what` is asked. What it throws is a refusal: it is asked by
// anybody, so it looks at shapes before it uses them. A function of who asks is called by its name.
using Call = std::function<Tensor(const std::string& function, const Tensor& x)>;
using Answer = std::function<Tensors(const Tensors& about, const Call& call)>;
bool keep(const std::string& what, const Answer& answer);
// Writes down the numbers that it is asked about; asked about nothing, says all since then, times
// yes(name).
Answer notes(const std::string& name);

// A tensor without axes, and back: a whole number of least to most. Throws std::invalid_argument
// for any other.
Tensor scalar(double x);
int whole(const Tensor& tensor, int least, int most);

// Answers until nobody asks any more, if this process is a keeper; then ends it.
void serve_if_keeper();

}  // namespace xf::keeper
