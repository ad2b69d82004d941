// One reader of fuzz/readers.cpp under libFuzzer, which looks for inputs that reach new code:
//   cmake --preset fuzz && ninja -C build/fuzz fuzz_readers
//   build/fuzz/bin/fuzz_readers READER -max_total_time=600 -rss_limit_mb=1024 -timeout=10 FOLDER
// FOLDER is where the inputs are kept; at first those of the reader's seeds are put there.
// long_run.py does so for every reader, for processor seconds.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "fuzz/readers.hpp"
#include "io/files.hpp"

namespace {

const xf::test::HostileReader* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const std::string name = *count > 1 ? (*arguments)[1] : "";
  for (const auto& reader : xf::test::hostile_readers())
    if (reader.name == name) chosen = &reader;
  if (!chosen) {
    std::cerr << "which reader?";
    for (const auto& reader : xf::test::hostile_readers()) std::cerr << ' ' << reader.name;
    std::cerr << '\n';
    std::exit(2);
  }
  (*arguments)[1] = (*arguments)[0];
  ++*arguments, --*count;
  const std::string folder = (*arguments)[*count - 1];
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < chosen->seeds.size(); ++i)
    xf::write_file_atomically(folder + "/seed-" + std::to_string(i), chosen->seeds[i]);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  xf::test::read_hostile(*chosen, {reinterpret_cast<const char*>(data), size});
  return 0;
}
