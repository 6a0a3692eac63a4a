return { gravity = {0, 0, -9.81}, frames = {
{name = "a", parent = "ROOT", joint = {{1,0,0,0,0,0}}, body = {mass = "much"}}
}}
