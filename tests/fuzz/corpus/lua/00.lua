
    local length = 0.5          -- a model is a program
    local function rod(m) return {mass = m, com = {0, 0, -length / 2}, inertia = {{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}} end
    return { gravity = {0, 0, -9.81}, frames = {
      {name = "a", parent = "ROOT", joint = {"JointTypeEulerZYX"}, body = rod(2)},
      {name = "b", parent = "a", joint_frame = {r = {0, 0, -length}, E = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}},
       joint = {{0, 0, 1, 0, 0, 0.1}}, body = rod(1), markers = {tip = {0, 0, -0.5}}},
      {name = "c", parent = "ROOT", joint = {"JointTypeFloatingBase"}, body = rod(1), joint_frame = {r = {1, 2, 3}}},
      {name = "d", parent = "c", body = rod(1)},
    }}