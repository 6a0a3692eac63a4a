#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <vector>

#include "parfait/io/model/test_integrator_lists.h"
#include "parfait/io/problem/problem_file.h"
#include "parfait/io/problem/test_problem_files.h"

// Each case of tests/cases/broken_problems is refused with exactly the message it says.
namespace parfait::io {
namespace {

struct Edit {
  std::string file, from, to;
};

struct Case {
  std::string name, problem;
  std::vector<Edit> edits{};
  std::string message{};

  bool fits_schema() const {
    return !name.starts_with("syntax_") && !name.starts_with("structure_");
  }
  /// The files of the current folder as this case has them.
  void write() const {
    ProblemFolder::write_all();
    for (const auto& edit : edits) ProblemFolder::edit(edit.file, edit.from, edit.to);
  }
};

std::string unescaped(std::string text) {
  for (const auto& [code, meaning] : {std::pair("\\n", "\n"), std::pair("\\t", "\t")}) {
    for (auto at = text.find(code); at != std::string::npos; at = text.find(code, at + 1)) {
      text.replace(at, 2, meaning);
    }
  }
  return text;
}

/// "left<mark>right" in two.
std::pair<std::string, std::string> cut(const std::string& text, const std::string& mark) {
  const auto at = text.find(mark);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no \"" << mark << "\" in: " << text;
    return {};
  }
  return {text.substr(0, at), text.substr(at + mark.size())};
}

std::vector<Case> read_cases() {
  std::ifstream in(PARFAIT_SOURCE_DIR "/tests/cases/broken_problems/cases.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line.front() == '#') continue;
    const auto [word, rest] = cut(line, " ");
    if (word == "case") {
      const auto [name, problem] = cut(rest, " in ");
      cases.push_back({name, problem});
    } else if (word == "edit") {
      const auto [file, change] = cut(rest, ": ");
      const auto [from, to] = cut(change, " ==>");
      cases.back().edits.push_back(
          {file, unescaped(from), unescaped(to.empty() ? to : to.substr(1))});
    } else {
      EXPECT_EQ(word, "says") << line;
      cases.back().message = with_integrators(rest);
    }
  }
  return cases;
}

TEST(BrokenProblems, TheUnbrokenOnesAreAccepted) {
  const ProblemFolder folder("unbroken_problems");
  for (const char* file : {"dynamic.xml", "algebraic.xml", "petab.xml"}) {
    EXPECT_NO_THROW(read_problem(file)) << file;
  }
}

TEST(BrokenProblems, EachSaysWhereAndWhatIsWrong) {
  const auto cases = read_cases();
  EXPECT_GE(cases.size(), 45U);
  const ProblemFolder folder("broken_problems");
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    c.write();
    try {
      read_problem(c.problem);
      ADD_FAILURE() << "accepted; expected: " << c.message;
    } catch (const base::InputError& error) {
      EXPECT_EQ(error.what(), c.message);
    }
  }
}

/// What xmllint says about the files case_*.xml of this folder.
std::string validate() {
  const std::string command =
      "xmllint --noout --schema '" PARFAIT_SOURCE_DIR "/docs/schema/problem.xsd' case_*.xml 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string output = "\n";
  if (!pipe) return output;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) output += static_cast<char>(c);
  ::pclose(pipe);
  return output;
}

TEST(ProblemSchema, RejectsBrokenStructureAndOnlyThat) {
  ASSERT_EQ(std::system("xmllint --version > /dev/null 2>&1"), 0)
      << "xmllint (libxml2-utils) is missing: see scripts/packages.txt";
  const auto cases = read_cases();
  const ProblemFolder folder("problem_schema");
  for (const auto& c : cases) {
    c.write();
    std::filesystem::copy_file(c.problem, "case_" + c.name + ".xml");
  }
  const std::string output = validate();
  for (const auto& c : cases) {
    const bool is_valid = output.find("\ncase_" + c.name + ".xml validates\n") != std::string::npos;
    EXPECT_EQ(is_valid, c.fits_schema()) << c.name;
  }
}

}  // namespace
}  // namespace parfait::io
