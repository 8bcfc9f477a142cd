-- Refunds permits to the sliding window in which they were acquired.
--
-- KEYS     see state.lua
-- ARGV     REFUND: the number of permits, the period at that time, when they were acquired
-- Returns  granted: 1
local REFUND = '<I4dd' -- refunded period acquired_at

functions['sliding_window/refund'] = function(key, arguments, now)
  local refunded, period, acquired_at = struct.unpack(REFUND, arguments)
  local stored_period, since, last, previous, count = stored(key, STATE, SIZE)
  local window = math.floor(acquired_at / period)
  local counts = stored_period == period and acquired_at >= since and math.floor(now / period) - window < 2
  local windows = counts and math.floor(last / period) - window
  if windows == 0 then
    count = math.max(0, count - refunded)
  elseif windows == 1 then
    previous = math.max(0, previous - refunded)
  else
    return 1, nil, nil, 0, 0, 0, 0
  end
  if count == 0 and (previous == 0 or math.floor(now / period) > math.floor(last / period)) then
    return functions.reset(key)
  end
  local value, ttl = packed(now, period, since, last, previous, count)
  return rewritten(key, value, ttl)
end
