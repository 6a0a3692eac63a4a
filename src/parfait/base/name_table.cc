#include "parfait/base/name_table.h"

#include <functional>

namespace parfait::base {
namespace {

std::uint32_t hash_of(std::string_view name) {
  const std::uint64_t hash = std::hash<std::string_view>{}(name);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

std::string_view NameTable::operator[](int number) const {
  const auto i = static_cast<std::size_t>(number);
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return {letters_.data() + begin, ends_[i] - begin};
}

/// Where the name is, or the free slot where it belongs.
std::size_t NameTable::slot_of(std::string_view name, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].number >= 0 &&
         (slots_[at].hash != hash || (*this)[slots_[at].number] != name)) {
    at = (at + 1) & mask;
  }
  return at;
}

void NameTable::grow() {
  std::vector<Slot> old(slots_.empty() ? 16 : 2 * slots_.size());
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number < 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].number >= 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

std::pair<int, bool> NameTable::add(std::string_view name) {
  if (2 * (ends_.size() + 1) > slots_.size()) grow();
  const std::uint32_t hash = hash_of(name);
  Slot& slot = slots_[slot_of(name, hash)];
  if (slot.number >= 0) return {slot.number, false};
  slot = {hash, size()};
  letters_ += name;
  ends_.push_back(letters_.size());
  return {slot.number, true};
}

int NameTable::find(std::string_view name) const {
  return slots_.empty() ? -1 : slots_[slot_of(name, hash_of(name))].number;
}

std::vector<std::string> NameTable::all() const {
  std::vector<std::string> names;
  names.reserve(ends_.size());
  for (int i = 0; i < size(); ++i) names.emplace_back((*this)[i]);
  return names;
}

}  // namespace parfait::base
