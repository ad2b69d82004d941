#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// The memory of the device. All work on it, kernels and copies, happens in the order in which it
// was asked for.
namespace xf::cuda {

// An error of the device, not of the program; its message is one line.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Is there a device to work on? Throws DeviceError saying why not.
void require_device();

// Uninitialised. Blocks that were released are used again. Throws DeviceError with what was asked
// for and what is free.
void* allocate(std::size_t bytes);
void release(void* block, std::size_t bytes) noexcept;

void copy_to_device(void* to, const void* host, std::size_t bytes);
void copy_to_host(void* host, const void* from, std::size_t bytes);
void copy_on_device(void* to, const void* from, std::size_t bytes);

// Copies to and from the device so far, and how often the host waited for it; each costs more than
// a small kernel.
struct Traffic {
  long to_device = 0, to_host = 0, waits = 0;
  std::size_t bytes_to_host = 0;
};
Traffic traffic();

// A piece of device memory for the time of a few kernels; null of no numbers.
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
  // On the host.
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

// While it is alive, device memory may be accessed; any other access stops the program.
struct InsideKernel {
  InsideKernel();
  ~InsideKernel();
  InsideKernel(const InsideKernel&) = delete;
  InsideKernel& operator=(const InsideKernel&) = delete;
};

// The fill value of memory that was never written.
void fill_fresh_memory_with(std::uint32_t number);
// Addresses of the device: more than there is memory, fewer where a process may have few.
std::size_t reserved_addresses();
// Its offset from the device's first address; reserved_addresses() or more if outside.
std::size_t device_offset(const void* pointer);
bool on_device(const void* pointer);
// Throws std::logic_error naming what it is that does not lie within one block.
void require_one_block(const void* first, std::size_t bytes, const char* what);
// Of a copy of more than 1 GiB on the device only the end is copied from now on, or all again: as
// emulator::run_last_blocks() does with a grid.
void copy_ends_only(bool only);

// Before each kernel. Throws DeviceError naming it when the device is gone.
void begin_kernel(const char* kernel);

// Installs the handler that explains an access violation.
void watch_host();

// Has a kernel written behind the end of an allocation? Throws std::logic_error naming its size. So
// that it is found without AddressSanitizer, too.
void check_ends_of_blocks();

}  // namespace xf::cuda
