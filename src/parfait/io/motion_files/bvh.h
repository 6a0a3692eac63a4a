#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "parfait/io/motion_files/motion_table.h"
#include "parfait/io/motion_files/trial.h"

/// BVH files: a tree of joints, each with an offset from its parent and channels in any order, then
/// one row of channel values per frame. A joint's frame in its parent's is
///
///   X = T(offset) T(position channels) R_1 R_2 R_3      rotations in the order of the channels, in
///   degrees
namespace parfait::io {

enum class BvhChannel { kXposition, kYposition, kZposition, kXrotation, kYrotation, kZrotation };

struct BvhJoint {
  std::string name;  ///< of an end site: that of its joint with ".end"
  int parent = -1;   ///< index; -1: a root
  Vec3 offset{};
  std::vector<BvhChannel> channels;
  bool is_end = false;
};

struct BvhFile {
  std::string file;
  std::vector<BvhJoint> joints;  ///< parents before children, as in the file
  double frame_time = 0;         ///< s
  std::size_t num_channels = 0;
  std::vector<double> values;  ///< frame * num_channels + channel
  std::vector<FileWarning> warnings;

  std::size_t num_frames() const { return num_channels == 0 ? 0 : values.size() / num_channels; }
};

/// InputError with a line if the tree cannot be understood or there is no frame.
BvhFile read_bvh(const std::filesystem::path& file);
BvhFile read_bvh_text(std::string_view text, const std::string& file_name);

/// Law: reading gives the same joints and values.
std::string bvh_text(const BvhFile& file);
void write_bvh(const BvhFile& file, const std::filesystem::path& path);

/// Places of all joints and end sites over time, as if they were markers. The format knows no
/// units: offsets of people say whether they are cm (the usual), m or mm.
Trial bvh_trial(const BvhFile& file);
/// The channels as columns, "Hips.Xposition".
MotionTable bvh_table(const BvhFile& file);

}  // namespace parfait::io
