// The corpus of a fuzz target, once, without a fuzzer: what it has found stays found.
//
//   fuzz_replay TARGET FILE|FOLDER...      each file
//   fuzz_replay --mutate N TARGET ...      and N random changes of each (seeds 0 ... N - 1)
//
// Prints how many were read and how many refused; a crash or a broken law ends it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

#include "parfait/base/error.h"
#include "parfait/io/text/text_file.h"
#include "targets.h"

namespace {

namespace fs = std::filesystem;
using parfait::fuzz::Target;

std::vector<fs::path> files_in(int count, char** arguments) {
  std::vector<fs::path> files;
  for (int i = 0; i < count; ++i) {
    if (fs::is_directory(arguments[i])) {
      for (const auto& entry : fs::recursive_directory_iterator(arguments[i])) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    } else {
      files.emplace_back(arguments[i]);
    }
  }
  std::ranges::sort(files);
  return files;
}

/// A few bytes changed, removed, inserted, doubled or taken from elsewhere in the text; half of the
/// changes are to digits, which leaves more that can be read.
std::string mutated(std::string text, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  static const char* const kWords[] = {"nan",  "1e999",  "-",     "<",       "&lt;", "\"",
                                       "0",    "1e-300", "state", "id=\"\"", ",",    "\n",
                                       "\xff", "1e9",    "x/0",   "("};
  for (std::size_t changes = 1 + below(4); changes > 0; --changes) {
    std::size_t at = below(text.size());
    if (below(2) == 0) {
      at = text.find_first_of("0123456789", at);
      if (at == std::string::npos) continue;
      static const char* const kDigits[] = {"0",    "1",   "9",  "-1", "2.5",
                                            "1e-9", "1e9", "10", "0.", "1e-300"};
      text.replace(at, 1, kDigits[below(std::size(kDigits))]);
      continue;
    }
    switch (below(5)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(random());
        break;
      case 1:
        text.erase(at, 1 + below(20));
        break;
      case 2:
        text.insert(at, kWords[below(std::size(kWords))]);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), 1 + below(40)));
        break;
      default:
        text.replace(at, 1 + below(6), kWords[below(std::size(kWords))]);
        break;
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  int first = 1;
  unsigned mutations = 0;
  if (argc > 2 && std::strcmp(argv[1], "--mutate") == 0) {
    mutations = static_cast<unsigned>(std::stoul(argv[2]));
    first = 3;
  }
  const Target* const target = argc > first ? parfait::fuzz::find_target(argv[first]) : nullptr;
  if (target == nullptr) {
    fmt::print(stderr, "usage: fuzz_replay [--mutate N] TARGET FILE|FOLDER...\n");
    return 2;
  }
  const auto files = files_in(argc - first - 1, argv + first + 1);
  std::size_t read = 0, refused = 0;
  const auto run = [&](const std::string& text) {
    try {
      target->run(text);
      ++read;
    } catch (const parfait::base::InputError&) {
      ++refused;
    }
  };
  for (const auto& file : files) {
    const std::string text = parfait::io::read_bytes(file);
    // Said before, so that it can be found after a crash.
    fmt::print("{}: {}\n", target->name, file.string());
    std::fflush(stdout);
    run(text);
    for (unsigned seed = 0; seed < mutations; ++seed) run(mutated(text, seed));
  }
  fmt::print("{}: {} inputs of {} files, {} read, {} refused\n", target->name, read + refused,
             files.size(), read, refused);
  return files.empty() ? 1 : 0;
}
