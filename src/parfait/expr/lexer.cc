#include "parfait/expr/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace parfait::expr {

namespace {

// Not <cctype>: formulas do not depend on the locale.
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// A character as a person sees it: all bytes of a UTF-8 sequence, control characters by number.
std::string shown(std::string_view rest) {
  const auto first = static_cast<unsigned char>(rest[0]);
  if (first < 0x20 || first == 0x7f) return fmt::format("\\x{:02x}", first);
  std::size_t size = 1;
  while (first >= 0xc0 && size < rest.size() && size < 4 &&
         (static_cast<unsigned char>(rest[size]) & 0xc0) == 0x80) {
    ++size;
  }
  return std::string(rest.substr(0, size));
}

/// Spellings and what they mean; longer ones first.
constexpr std::pair<std::string_view, std::string_view> kSymbols[] = {
    {"**", "^"},   {"<=", "<="}, {">=", ">="}, {"==", "=="}, {"!=", "!="},
    {"&&", "and"}, {"||", "or"}, {"+", "+"},   {"-", "-"},   {"*", "*"},
    {"/", "/"},    {"^", "^"},   {"(", "("},   {")", ")"},   {",", ","},
    {"?", "?"},    {":", ":"},   {"<", "<"},   {">", ">"},   {"!", "not"},
};

}  // namespace

void Lexer::fail(std::size_t offset, const std::string& message) const {
  if (place_.line <= 0 || place_.column <= 0) {
    throw base::InputError(
        place_, fmt::format("formula \"{}\", character {}: {}", text_, offset + 1, message));
  }
  base::Place at = place_;
  for (const char c : text_.substr(0, offset)) {
    if (c == '\n') {
      ++at.line;
      at.column = 1;
    } else {
      ++at.column;
    }
  }
  throw base::InputError(at, message);
}

Token Lexer::next() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  if (at_ == text_.size())
    return {.kind = Token::Kind::kEnd, .text = {}, .written = {}, .offset = at_};
  const std::string_view rest = text_.substr(at_);
  if (is_digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && is_digit(rest[1]))) {
    return number();
  }
  if (is_letter(rest[0])) return name();
  for (const auto& [spelling, meaning] : kSymbols) {
    if (!rest.starts_with(spelling)) continue;
    const Token token{
        .kind = Token::Kind::kSymbol, .text = meaning, .written = spelling, .offset = at_};
    at_ += spelling.size();
    return token;
  }
  if (rest[0] == '=') fail(at_, "\"=\" is not an operator: compare with \"==\".");
  if (rest[0] == '&') fail(at_, "\"&\" is not an operator: write \"and\" or \"&&\".");
  if (rest[0] == '|') fail(at_, "\"|\" is not an operator: write \"or\" or \"||\".");
  fail(at_, fmt::format("unexpected character \"{}\".", shown(rest)));
}

Token Lexer::number() {
  // Everything glued to the digits, so that "1.2.3" and "2x" are seen whole.
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const char before = at_ > begin ? text_[at_ - 1] : '0';
    const bool is_exponent_sign = (c == '+' || c == '-') && (before == 'e' || before == 'E') &&
                                  at_ >= begin + 2 &&
                                  (is_digit(text_[at_ - 2]) || text_[at_ - 2] == '.');
    if (!is_word(c) && c != '.' && !is_exponent_sign) break;
    ++at_;
  }
  const std::string_view word = text_.substr(begin, at_ - begin);
  Token token{.kind = Token::Kind::kNumber, .text = word, .written = word, .offset = begin};
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, token.number);
  if (error == std::errc::result_out_of_range && rest == end) {
    fail(begin,
         fmt::format("\"{}\" is outside the range of numbers (about 1e-308 to 1e308).", word));
  }
  if (error != std::errc{} || rest != end) {
    std::string hint;
    if (error == std::errc{} && is_letter(*rest) && std::all_of(rest, end, is_word)) {
      hint = fmt::format(" Did you mean \"{} * {}\"?", std::string_view(word.data(), rest),
                         std::string_view(rest, end));
    }
    fail(begin, fmt::format("\"{}\" is not a number.{}", word, hint));
  }
  return token;
}

Token Lexer::name() {
  const std::size_t begin = at_;
  while (true) {
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == text_.size() || text_[at_] != '.') break;
    if (at_ + 1 == text_.size() || !is_word(text_[at_ + 1])) {
      fail(at_, fmt::format("\"{}\" is not a name: a letter or a digit must follow the \".\".",
                            text_.substr(begin, at_ + 1 - begin)));
    }
    ++at_;
  }
  const std::string_view word = text_.substr(begin, at_ - begin);
  const bool is_operator = word == "and" || word == "or" || word == "not";
  return {.kind = is_operator ? Token::Kind::kSymbol : Token::Kind::kName,
          .text = word,
          .written = word,
          .offset = begin};
}

}  // namespace parfait::expr
