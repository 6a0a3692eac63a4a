#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "parfait/base/error.h"

/// Words of a formula. Internal to expr.
namespace parfait::expr {

struct Token {
  enum class Kind { kEnd, kNumber, kName, kSymbol };
  Kind kind = Kind::kEnd;
  std::string_view text;     ///< the meaning: "and" for "&&", "^" for "**"
  std::string_view written;  ///< the same as it was written
  std::size_t offset = 0;
  double number = 0;

  bool is(std::string_view symbol) const { return kind == Kind::kSymbol && text == symbol; }
};

class Lexer {
 public:
  Lexer(std::string_view text, const base::Place& place) : text_(text), place_(place) {}

  Token next();

  /// Throws InputError at the place of character `offset`.
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const;

 private:
  Token number();
  Token name();

  std::string_view text_;
  base::Place place_;
  std::size_t at_ = 0;
};

}  // namespace parfait::expr
