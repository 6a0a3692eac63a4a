return require "../broken_models/x"
