#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parfait::base {

/// Names, numbered in the order in which they come, each once.
///
/// The names of a large model are millions. All letters lie in one block and all places in another:
/// with a string and a node of a hash table for each, giving them back took longer than making them.
class NameTable {
 public:
  /// Its number, and whether it is new.
  std::pair<int, bool> add(std::string_view name);
  /// -1: there is none.
  int find(std::string_view name) const;
  int size() const { return static_cast<int>(ends_.size()); }
  std::string_view operator[](int number) const;
  std::vector<std::string> all() const;

 private:
  /// Open addressing, a power of two of slots, at most half of them taken.
  struct Slot {
    std::uint32_t hash = 0;
    int number = -1;
  };
  std::size_t slot_of(std::string_view name, std::uint32_t hash) const;
  void grow();

  std::string letters_;
  std::vector<std::size_t> ends_;
  std::vector<Slot> slots_;
};

}  // namespace parfait::base
