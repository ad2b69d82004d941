#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// Device memory. All work on the device, kernels and copies, runs in the order in which it was
// issued.
namespace xf::cuda {

// An error of the device, not of the program; its message is one line.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Is there a device to work on? Throws DeviceError saying why not.
void require_device();

// Uninitialised memory, from released blocks where possible. Throws DeviceError stating how much
// was requested and how much is free.
void* allocate(std::size_t bytes);
void release(void* block, std::size_t bytes) noexcept;

void copy_to_device(void* to, const void* host, std::size_t bytes);
void copy_to_host(void* host, const void* from, std::size_t bytes);
void copy_on_device(void* to, const void* from, std::size_t bytes);

// Copies to and from the device so far, and how often the host waited for the device; each of these
// costs more than a small kernel.
struct Traffic {
  long to_device = 0, to_host = 0, waits = 0;
  std::size_t bytes_to_host = 0;
};
Traffic traffic();

// Temporary device memory for a few kernels; null if it is empty.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t count)
      : bytes_(count * sizeof(T)),
        data_(count == 0 ? nullptr : static_cast<T*>(allocate(bytes_))) {}
  ~Buffer() {
    if (data_) release(data_, bytes_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() { return data_; }
  // A copy on the host.
  std::vector<T> values() const {
    std::vector<T> numbers(bytes_ / sizeof(T));
    copy_to_host(numbers.data(), data_, bytes_);
    return numbers;
  }

 private:
  std::size_t bytes_;
  T* data_;
};

// ---- emulated only ------------------------------------------------------------------------------

// While alive, device memory may be accessed; an access at any other time stops the program.
struct InsideKernel {
  InsideKernel();
  ~InsideKernel();
  InsideKernel(const InsideKernel&) = delete;
  InsideKernel& operator=(const InsideKernel&) = delete;
};

// The fill value of memory that was never written.
void fill_fresh_memory_with(std::uint32_t number);
// Size of the device's address range: more than its memory; less if the process's is limited.
std::size_t reserved_addresses();
// The pointer's offset from the device's first address; reserved_addresses() or more if outside.
std::size_t device_offset(const void* pointer);
bool on_device(const void* pointer);
// Throws std::logic_error naming `what` unless the whole range lies within one block.
void require_one_block(const void* first, std::size_t bytes, const char* what);
// From now on, copies of more than 1 GiB on the device copy only their end, or everything again:
// the counterpart of emulator::run_last_blocks() for grids.
void copy_ends_only(bool only);

// Called before each kernel. Throws DeviceError naming the kernel if the device has failed.
void begin_kernel(const char* kernel);

// Installs the handler that explains an access violation.
void watch_host();

// Throws std::logic_error naming the size of an allocation if a kernel has written past its end.
// Detects this even without AddressSanitizer.
void check_ends_of_blocks();

}  // namespace xf::cuda
