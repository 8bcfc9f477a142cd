-- Counts by a sliding window: the count of the current window, plus the part of the previous count that still overlaps.
--
-- sliding_window acquires permits
--   Arguments  manner, cost, least, permits, period in us
--   Numbers    the counts of the previous and of the current window, 0, 0
-- sliding_window_refund refunds permits to the window in which they were acquired
--   Arguments  number of permits, the period at that time, when they were acquired
--
-- A call is allowed if prev * (1 - elapsed / period) + current + cost <= permits, exactly: no product is rounded.
-- Windows begin at multiples of the period. The key holds the counts as of the last charged call, and the time since when it
-- counts. If the period changes, both counts move to the window of that last call.
local ARGUMENTS, REFUND, STORED = '<BI4I4I4d', '<I4dd', '<I6I7I7I7I7'
local MAX_PERMITS_KEPT = 1e15

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

local function packed(now, period, since, last, previous, count)
  local ends = last - last % period + (count > 0 and 2 or 1) * period
  return struct.pack(STORED, period, since, last, previous, count),
    string.format('%d', math.ceil((ends - now) / 1000) + 1)
end

-- The state of the key as of now: since when it counts, the last call, the two counts, and whether the key is outdated.
local function current(key, now, period)
  local was, since, last, previous, count = stored(key, STORED, 34)
  if not was then
    return now, now, 0, 0, false
  end
  local outdated = was ~= period
  if outdated then
    local windows = math.floor(now / was) - math.floor(last / was)
    count = windows > 1 and 0 or math.min(count + (windows < 1 and previous or 0), MAX_PERMITS_KEPT)
    previous, since = 0, math.max(now, last + 1)
  end
  local windows = math.floor(now / period) - math.floor(last / period)
  if windows < 0 then
    previous, count = 0, math.min(previous + count, MAX_PERMITS_KEPT)
    since, last, outdated = last + 1, now, true
  elseif windows > 0 then
    previous, count = windows == 1 and count or 0, 0
  end
  if previous + count == 0 then
    return now, now, 0, 0, false
  end
  return since, last, previous, count, outdated
end

functions.sliding_window = function(key, arguments, now, less)
  local manner, cost, least, permits, period = struct.unpack(ARGUMENTS, arguments)
  local since, last, previous, count, outdated = current(key, now, period)
  local overlap, rest = share(previous, period - now % period, period)
  local granted = grant(less or cost, least, manner, permits - count - overlap - (rest > 0 and 1 or 0))
  local value, ttl
  if manner ~= PEEK then
    if granted > 0 then
      local sum = math.min(count + granted, MAX_PERMITS_KEPT)
      value, ttl = packed(now, period, since, math.max(now, last), previous, sum)
    elseif outdated then
      value, ttl = packed(now, period, since, last, 0, previous + count)
    end
  end
  return granted, value, ttl, previous, count, 0, 0
end

functions.sliding_window_refund = RARE and function(key, arguments, now)
  local returned, period, taken_at = struct.unpack(REFUND, arguments)
  local was, since, last, previous, count = stored(key, STORED, 34)
  local windows = was == period and taken_at >= since and math.floor(last / period) - math.floor(taken_at / period)
  if windows == 0 then
    count = math.max(0, count - returned)
  elseif windows == 1 then
    previous = math.max(0, previous - returned)
  else
    return 1, nil, nil, 0, 0, 0, 0
  end
  local windows_since = math.floor(now / period) - math.floor(last / period)
  if windows_since > 1 or count == 0 and (previous == 0 or windows_since == 1) then
    return functions.forget(key)
  end
  local value, ttl = packed(now, period, since, last, previous, count)
  return 1, value, ttl, 0, 0, 0, 0
end
