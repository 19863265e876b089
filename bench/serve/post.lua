-- Posts the body of the first argument, of which so many bytes as the second says are JSON.
function init(args)
  local file = io.open(args[1], "rb")
  wrk.method = "POST"
  wrk.body = file:read("*a")
  wrk.headers["Content-Type"] = "application/octet-stream"
  wrk.headers["Inference-Header-Content-Length"] = args[2]
  file:close()
end
