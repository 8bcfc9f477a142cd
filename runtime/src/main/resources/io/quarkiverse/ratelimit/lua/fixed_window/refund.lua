-- Refunds permits to a fixed window, until the end of the window in which they were acquired.
--
-- KEYS     see state.lua
-- ARGV     REFUND: the number of permits, when they were acquired, the end of their window
-- Returns  granted: 1
local REFUND = '<I4dd' -- count acquired_at window_end

functions['fixed_window/refund'] = function(key, arguments, now)
  local count, acquired_at, window_end = struct.unpack(REFUND, arguments)
  local used, since, ends, ahead = current(key, now)
  if used == 0 or acquired_at < since or now < acquired_at or now >= window_end then
    return 1, nil, nil, 0, 0, 0, 0
  end
  if used <= count then
    return functions.reset(key)
  end
  local value, ttl = packed(now, used - count, since, ends, ahead)
  return rewritten(key, value, ttl)
end
