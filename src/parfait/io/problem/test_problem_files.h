#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "parfait/io/text/text_file.h"

namespace parfait::io {

/// A temporary folder with models, data and problems that are right, in which we stand while it
/// lives: messages show files as they are named.
///
///   dynamic.xml     model.xml (an ODE) and data.csv
///   algebraic.xml   points.csv, no model
///   petab.xml       model.xml, measurements.tsv and parameters.tsv
class ProblemFolder {
 public:
  explicit ProblemFolder(const std::string& name)
      : before_(std::filesystem::current_path()),
        folder_(std::filesystem::temp_directory_path() /
                ("parfait_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
    write_all();
  }
  ~ProblemFolder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  ProblemFolder(const ProblemFolder&) = delete;
  ProblemFolder& operator=(const ProblemFolder&) = delete;

  const std::filesystem::path& path() const { return folder_; }

  /// Every file as it should be.
  static void write_all() {
    write_text_file("model.xml", R"(<ode>
  <parameter id="k" initial="1" lower="0"/>
  <parameter id="c" initial="0.5"/>
  <parameter id="u" initial="2" lower="-5" upper="5"/>
  <state id="x" initial="1" derivative="-k*x + u"/>
  <state id="y" initial="c" derivative="x - y"/>
</ode>
)");
    write_text_file("data.csv", R"(t,x,y,sx
0,1,0.5,0.1
1,1.2,,0.1
2,1.3,0.9,0.2
)");
    write_text_file("dynamic.xml", R"(<problem>
  <estimate parameter="k" initial="1" lower="0" upper="10"/>
  <experiment id="run1" model="model.xml" data="data.csv">
    <set parameter="u" value="1"/>
    <local parameter="c" initial="0.4"/>
    <observe column="x" quantity="x" sigma_column="sx"/>
    <observe column="y" quantity="2*y" sigma="0.1"/>
    <initial fixed="true"/>
    <grid intervals="2"/>
    <require at="1"> x - y >= 0 </require>
    <bounds state="x" lower="-1"/>
  </experiment>
  <options rtol="1e-9"/>
</problem>
)");
    write_text_file("points.csv", R"(x,z
1,0.6
2,0.9
3,
4,1.1
)");
    write_text_file("algebraic.xml", R"_(<problem>
  <estimate parameter="b1" initial="2" lower="0.1"/>
  <estimate parameter="b2" initial="1" transform="log"/>
  <require> b1 - b2 >= 0 </require>
  <experiment id="decay" data="points.csv">
    <observe column="z" quantity="b1*(1 - exp(-b2*x))"/>
  </experiment>
</problem>
)_");
    // Not sorted by time, replicates at 2, another condition in between.
    write_text_file("measurements.tsv",
                    "observableId\tsimulationConditionId\ttime\tmeasurement\tnoiseParameters\n"
                    "x\trun1\t1\t1.2\t0.1\n"
                    "x\trun1\t2\t1.3\t0.1\n"
                    "x\trun2\t2\t7\t0.1\n"
                    "x\trun1\t2\t1.4\t0.3\n"
                    "y\trun1\t2\t0.9\t\n"
                    "y\trun1\t0\t0.5\t\n");
    write_text_file("parameters.tsv",
                    "parameterId\tparameterScale\tlowerBound\tupperBound\tnominalValue\testimate\n"
                    "k\tlog10\t0.01\t100\t1\t1\n"
                    "c\tlin\t-1\t1\t0.5\t1\n"
                    "u\tlin\t0\t5\t1.5\t0\n");
    write_text_file("petab.xml", R"(<problem>
  <parameters file="parameters.tsv"/>
  <experiment id="run1" model="model.xml" data="measurements.tsv">
    <observe column="x" quantity="x"/>
    <observe column="y" quantity="y" sigma="0.2"/>
  </experiment>
</problem>
)");
  }

  /// Replaces `from`, which must occur exactly once, in a file.
  static void edit(const std::string& file, const std::string& from, const std::string& to) {
    std::string text = read_text_file(file);
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << file << " does not say " << from;
    ASSERT_EQ(text.find(from, at + 1), std::string::npos) << file << " says twice " << from;
    write_text_file(file, text.replace(at, from.size(), to));
  }

 private:
  std::filesystem::path before_, folder_;
};

}  // namespace parfait::io
