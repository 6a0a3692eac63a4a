#pragma once

#include <filesystem>

#include "parfait/base/error.h"
#include "parfait/result/scene.h"

namespace parfait::io {

/// The triangles of an OBJ file (polygons are cut into triangles; normals, textures and materials
/// are passed over) or of an STL file, text or binary. Equal vertices of an STL file become one.
/// InputError, at `asked_at`, if it is no such file, or has more than `kMostFaces` faces.
inline constexpr std::size_t kMostFaces = 200'000;
result::SceneMesh read_mesh(const std::filesystem::path& file, const base::Place& asked_at = {});

}  // namespace parfait::io
