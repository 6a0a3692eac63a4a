local model = {}
