#include <cstring>
#include <exception>
#include <limits>
#include <map>
#include <utility>

#include "cuda/block_cache.hpp"
#include "cuda/device_memory.hpp"
#include "cuda/device_number.hpp"
#include "cuda/stream.hpp"

namespace xf::cuda {

namespace {

std::string version_text(int version) {  // 12040: 12.4
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// A driver that knows this CUDA, and a device.   returns how many devices there are
int require_driver_and_device() {
  int devices = 0, driver = 0, own = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess &&
      driver > 0) {
    cudaRuntimeGetVersion(&own);
    throw DeviceError("cuda: the driver is one for CUDA " + version_text(driver) +
                      ", this program is built with " + version_text(own) +
                      "; a newer driver is needed");
  }
  check(status, "there is no GPU to use here");
  return devices;
}

// The program's device and its one stream, made at the first use. Blocks that were released stay
// with the program.
struct Runtime {
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;
  BlockCache released;

  Runtime() {
    const int device = device_number % require_driver_and_device();
    check(cudaSetDevice(device), "the GPU cannot be used");
    check(cudaStreamCreate(&stream), "the GPU cannot be used");
    check(cudaDeviceGetDefaultMemPool(&pool, device), "the GPU has no pool of memory");
    std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
          "the GPU has no pool of memory");
  }
};

Runtime& runtime() {
  static auto* const runtime =
      new Runtime;  // never destroyed: tensors of static life may outlive it
  return *runtime;
}

Traffic counted;

void wait() { check(cudaStreamSynchronize(runtime().stream), "the work on the GPU"); }

// What is collected while a Together lives: the stream records it, and a graph of the same kinds of
// work as one before takes that one's place on the GPU, which is quicker than a new one.
class Collected {
 public:
  static constexpr int most_pieces = 8192;
  static constexpr std::size_t most_graphs = 64;
  static constexpr std::size_t staging_bytes = 1 << 20;

  void begin() { ++lives_; }
  bool end() { return --lives_ == 0; }
  bool is_collecting() const { return lives_ > 0; }

  // One more piece of work follows.
  void add() {
    if (pieces_ == most_pieces) hand_over();
    if (pieces_++ == 0)
      check(cudaStreamBeginCapture(runtime().stream, cudaStreamCaptureModeRelaxed),
            "collecting work for the GPU");
  }

  void hand_over() {
    const Graph graph(recorded());
    std::size_t nodes = 0;
    if (graph.get) check(cudaGraphGetNodes(graph.get, nullptr, &nodes), "the collected work");
    if (nodes == 0) return;
    check(cudaGraphLaunch(ready(graph.get, nodes), runtime().stream), "the collected work");
    ++counted.submissions;
  }

  void leave_out() noexcept {
    cudaGraph_t graph = nullptr;
    if (pieces_ > 0) cudaStreamEndCapture(runtime().stream, &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    pieces_ = 0;
  }

  // A copy of the host's bytes that stays until the GPU has read it; null of too many.
  const void* staged(const void* host, std::size_t bytes) {
    if (bytes > staging_bytes / 4) return nullptr;
    if (!staging_) check(cudaMallocHost(&staging_, staging_bytes), "memory for copies to the GPU");
    if (bytes > staging_bytes - used_) {
      hand_over();
      wait();
      used_ = 0;
    }
    void* const copy = static_cast<unsigned char*>(staging_) + used_;
    std::memcpy(copy, host, bytes);
    used_ += (bytes + 15) / 16 * 16;
    return copy;
  }
  void has_been_read() { used_ = 0; }

 private:
  struct Graph {
    cudaGraph_t get;
    explicit Graph(cudaGraph_t graph) : get(graph) {}
    ~Graph() {
      if (get) cudaGraphDestroy(get);
    }
    Graph(const Graph&) = delete;
    Graph& operator=(const Graph&) = delete;
  };

  cudaGraph_t recorded() {
    cudaGraph_t graph = nullptr;
    if (std::exchange(pieces_, 0) > 0)
      check(cudaStreamEndCapture(runtime().stream, &graph), "the collected work");
    return graph;
  }

  // Known ones are told apart by how many nodes they have: most steps are like the one before.
  cudaGraphExec_t ready(cudaGraph_t graph, std::size_t nodes) {
    if (known_.size() >= most_graphs && !known_.contains(nodes)) forget();
    cudaGraphExec_t& known = known_[nodes];
    cudaGraphExecUpdateResultInfo why;
    if (known && cudaGraphExecUpdate(known, graph, &why) == cudaSuccess) return known;
    cudaGetLastError();
    if (known) {
      wait();  // for its last run
      cudaGraphExecDestroy(std::exchange(known, nullptr));
    }
    check(cudaGraphInstantiate(&known, graph, 0), "the collected work");
    return known;
  }

  void forget() {
    wait();
    for (const auto& [nodes, graph] : known_) cudaGraphExecDestroy(graph);
    known_.clear();
  }

  int lives_ = 0;
  int pieces_ = 0;  // of what the stream records now; 0: it does not
  std::map<std::size_t, cudaGraphExec_t> known_;
  void* staging_ = nullptr;
  std::size_t used_ = 0;
};

Collected& collected() {
  static auto* const collected = new Collected;  // never destroyed, as the runtime
  return *collected;
}

std::string free_memory() {
  std::size_t left = 0, all = 0;
  cudaMemGetInfo(&left, &all);
  std::uint64_t used = 0, held = 0;
  cudaMemPoolGetAttribute(runtime().pool, cudaMemPoolAttrUsedMemCurrent, &used);
  cudaMemPoolGetAttribute(runtime().pool, cudaMemPoolAttrReservedMemCurrent, &held);
  return std::to_string(left >> 20) + " of " + std::to_string(all >> 20) +
         " MiB are free, this program uses " + std::to_string(used >> 20) + " and holds " +
         std::to_string(held >> 20);
}

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // what was reported is forgotten
  throw DeviceError("cuda: " + std::string(what) + ": " + cudaGetErrorString(status));
}

cudaStream_t stream() {
  if (collected().is_collecting())
    collected().add();
  else
    ++counted.submissions;
  return runtime().stream;
}

void require_device() { runtime(); }

Together::Together() {
  runtime();
  collected().begin();
}
Together::~Together() noexcept(false) {
  if (!collected().end()) return;
  if (std::uncaught_exceptions() > 0)
    collected().leave_out();
  else
    collected().hand_over();
}

void hand_over() { collected().hand_over(); }

void* allocate(std::size_t bytes) {
  void* block = runtime().released.take(bytes);
  if (block) return block;
  const std::size_t size = BlockCache::size_for(bytes);
  const cudaStream_t stream = runtime().stream;
  hand_over();  // memory that is asked for while the stream records would belong to the graph
  cudaError_t status = cudaMallocAsync(&block, size, stream);
  if (status == cudaErrorMemoryAllocation) {  // once more, when what lies idle has been given back
    cudaGetLastError();
    for (void* idle : runtime().released.take_all()) cudaFreeAsync(idle, stream);
    wait();
    cudaMemPoolTrimTo(runtime().pool, 0);
    status = cudaMallocAsync(&block, size, stream);
  }
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    throw DeviceError("cuda: no memory for " + std::to_string(bytes) + " bytes, " + free_memory());
  }
  check(status, "memory");
  return block;
}

void release(void* block, std::size_t bytes) noexcept {
  try {
    runtime().released.keep(block, bytes);
  } catch (...) {  // the host has no memory for the list
    cudaFreeAsync(block, runtime().stream);
  }
}

void copy_to_device(void* to, const void* host, std::size_t bytes) {
  ++counted.to_device;
  cudaStream_t stream = runtime().stream;
  const void* const kept = collected().is_collecting() ? collected().staged(host, bytes) : nullptr;
  if (kept) {
    host = kept;
    stream = cuda::stream();
  } else {  // the driver copies it before this returns
    hand_over();
    ++counted.submissions;
  }
  check(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, stream), "a copy to the GPU");
}

void copy_to_host(void* host, const void* from, std::size_t bytes) {
  hand_over();
  ++counted.submissions;
  check(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, runtime().stream),
        "a copy from the GPU");
  ++counted.to_host;
  counted.bytes_to_host += bytes;
  ++counted.waits;
  wait();
  collected().has_been_read();
}

void copy_on_device(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "a copy on the GPU");
}

Traffic traffic() { return counted; }

}  // namespace xf::cuda
