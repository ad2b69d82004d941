#pragma once

// The four examples of docs/en/11_gpu.md: each kernel is improved step by step. Nothing else uses
// them; the ops have the final versions. All pointers are to device memory, all matrices row-major.
namespace xf::steps {

// y = softmax(x) over each row.   x, y: (rows, columns)
void softmax_thread_a_row(const float* x, float* y, int rows, int columns);
void softmax_warp_a_row(const float* x, float* y, int rows, int columns);
// Loads four numbers at a time: columns must be a multiple of 4.
void softmax_four_at_once(const float* x, float* y, int rows, int columns);

// y = the sum of x.   x: (count), count at least 1   y: one number, initially 0 for sum_one_number
//   sums: (ceil(count / 256)), one partial sum per block
void sum_one_number(const float* x, float* sums, float* y, int count);
void sum_tree_of_neighbours(const float* x, float* sums, float* y, int count);
void sum_tree_of_first_threads(const float* x, float* sums, float* y, int count);
void sum_tree_of_halves(const float* x, float* sums, float* y, int count);
void sum_warps_first(const float* x, float* sums, float* y, int count);
void sum_many_a_thread(const float* x, float* sums, float* y, int count);

// c = a b.   a: (m, k)   b: (k, n)   c: (m, n)
void product_thread_a_number(const float* a, const float* b, float* c, int m, int n, int k);
void product_tiles(const float* a, const float* b, float* c, int m, int n, int k);
void product_registers(const float* a, const float* b, float* c, int m, int n, int k);
// Loads four numbers at a time: n and k must be multiples of 4.
void product_vectors(const float* a, const float* b, float* c, int m, int n, int k);
void product_two_buffers(const float* a, const float* b, float* c, int m, int n, int k);
// The same with a and b rounded to bfloat16 first.
void product_tensor_cores(const float* a, const float* b, float* c, int m, int n, int k);

// y = softmax(q k^T / sqrt(d)) v of one head.   q, y: (t, d)   k, v: (s, d)   d: 1 to 128
void attention_three_kernels(const float* q, const float* k, const float* v, float* y, int t, int s,
                             int d);
void attention_one_kernel(const float* q, const float* k, const float* v, float* y, int t, int s,
                          int d);
void attention_shared_keys(const float* q, const float* k, const float* v, float* y, int t, int s,
                           int d);

}  // namespace xf::steps
