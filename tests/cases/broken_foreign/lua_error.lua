

error("no such person")
