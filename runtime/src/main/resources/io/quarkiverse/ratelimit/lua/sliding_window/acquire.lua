-- Acquires permits from a sliding window: the count of the current window, plus the part of the previous count that still
-- overlaps.
--
-- KEYS     see state.lua
-- ARGV     ARGUMENTS: the period is in us
-- Returns  granted, the counts of the previous and of the current window, 0, 0
--
-- A call is allowed if prev * (1 - elapsed / period) + current + cost <= permits, exactly: no product is rounded.
local ARGUMENTS = '<BI4I4I4d' -- kind cost least permits period

-- count * part / whole as an integer, and the remainder. part is at most whole, and 255 * whole is below 2^53.
local function share(count, part, whole)
  local product = count * part
  if product < 2 ^ 53 then
    local quotient = math.floor(product / whole)
    return quotient, product - quotient * whole
  end
  local high = math.floor(count / 128)
  local quotient, rest = share(high, part, whole)
  product = rest * 128 + (count - high * 128) * part
  local carry = math.floor(product / whole)
  return quotient * 128 + carry, product - carry * whole
end

functions['sliding_window/acquire'] = function(key, arguments, now, new_cost)
  local kind, cost, least, permits, period = struct.unpack(ARGUMENTS, arguments)
  local since, last, previous, count, outdated = current(key, now, period)
  local overlap, rest = share(previous, period - now % period, period)
  local granted = grant(new_cost or cost, least, kind, permits - count - overlap - (rest > 0 and 1 or 0))
  local value, ttl
  if kind ~= PEEK then
    if granted > 0 then
      local sum = math.min(count + granted, MAX_PERMITS_KEPT)
      value, ttl = packed(now, period, since, math.max(now, last), previous, sum)
    elseif outdated then
      value, ttl = packed(now, period, since, last, 0, previous + count)
    end
  end
  return granted, value, ttl, previous, count, 0, 0
end
