#pragma once

#include <string>

#include "parfait/base/counted.h"
#include "parfait/report/html/html.h"

/// Numbers as a person reads them. The same number is always written in the same way.
namespace parfait::report {

using base::counted;

/// x to `digits` significant digits, without zeros at the end: "395.475", "1.2e-07"; "∞" and "–"
/// for what is infinite or no number.
std::string rounded(double x, int digits = 6);

/// x to the place of the second digit of `deviation`: 395.4751 with 10.7 is "395". What the
/// deviation says nothing about (0, infinite, not a number) is rounded to six digits.
std::string rounded_like(double x, double deviation);

/// `shown`, with the number itself in the markup: <data value="395.47512345678">395</data>. A
/// program that reads the report finds what result.json has. What is not finite is a sign alone.
Html number(double x, const std::string& shown);
Html number(double x, int digits = 6);
Html count(long long n);

/// "3e-05" as "3·10⁻⁵", "-2" with a minus sign: for the axes of plots.
std::string typeset(std::string_view number);
/// 10 to this power: "10⁻⁵".
std::string power_of_ten(int exponent);

}  // namespace parfait::report
