local a = nil
return { frames = a.b }
