local t = {}
while true do t[#t + 1] = "text " .. #t end
