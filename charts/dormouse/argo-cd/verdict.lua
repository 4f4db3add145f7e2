local function is(status, message)
  return { status = status, message = message or "" }
end
