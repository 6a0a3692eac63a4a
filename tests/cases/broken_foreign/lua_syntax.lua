return {
  frames = {,}
}
