return { gravity = {0, 0, -9.81} }
