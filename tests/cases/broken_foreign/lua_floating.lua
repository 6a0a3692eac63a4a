return { gravity = {0, 0, -9.81}, frames = {
{name = "a", parent = "ROOT", joint = {{1,0,0,0,0,0}}, body = {mass = 1, com = {0, 0, 0}, inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
{name = "b", parent = "a", joint = {"JointTypeFloatingBase"}, body = {mass = 1, com = {0, 0, 0}, inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}}
}}
