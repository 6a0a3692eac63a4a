local file = io.open("/etc/passwd")
return file
