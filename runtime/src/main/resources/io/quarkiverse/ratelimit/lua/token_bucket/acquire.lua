-- Acquires permits from a token bucket: it holds at most `burst` permits and regains `permits` per `period`.
--
-- KEYS     see state.lua. A call that is not tracked removes the data of points.lua
-- ARGV     ARGUMENTS: interval is 1 if permits come back together after each whole period since the first use of the full
--          bucket, 0 if evenly; the period and the longest wait are in us; the increment is the level of the cost, and the
--          capacity that of `burst`. `least` is below the cost for a call that takes what is available
-- Returns  granted, the level before the call, its rest, us until the next refill if interval is 1, 0
local ARGUMENTS = '<BBI4I4I4ddI4dI4d' -- kind interval cost least permits period increment increment_rest capacity capacity_rest wait

functions['token_bucket/acquire'] = function(key, arguments, now, new_cost)
  local kind, interval, cost, least, permits, period, increment, increment_rest, capacity, capacity_rest, wait =
    struct.unpack(ARGUMENTS, arguments)
  -- a state is outdated if its time is in the future, or if it has to be converted
  local stored_permits, stored_period, at, level, rest, since, refunded, outdated = current(key, now)
  local converts = level + rest > 0 and (stored_permits ~= permits or stored_period ~= period)
  local highest
  if converts or kind == CHARGE then
    highest = interval == 1 and math.min(MAX_PERMITS_KEPT, permits * math.floor(MAX_FILL_TIME / period)) or MAX_FILL_TIME
  end
  if converts then
    outdated, since, refunded = true, now, nil
    if interval == 1 then
      level = math.min(level, highest)
      if now - at >= period then
        at = now
      end
    else
      local carried = math.min((level * stored_permits + rest) / stored_period * period / permits, highest)
      level = math.floor(carried)
      rest = math.floor((carried - level) * permits)
    end
  end

  if new_cost or least < cost or kind == PREFETCH then
    cost = new_cost
      or kind == PREFETCH and prefetched(cost, least,
        permits_that_fit(interval, MAX_PERMITS_KEPT, 1, permits, period, level, rest, capacity, capacity_rest),
        permits_that_fit(interval, MAX_PERMITS_KEPT, 1, permits, period, 0, 0, capacity, capacity_rest))
      or permits_that_fit(interval, cost, least, permits, period, level, rest, capacity, capacity_rest)
    increment, increment_rest = level_of(interval, cost, permits, period)
  end
  local granted, sum, sum_rest = cost, level + increment, rest + increment_rest
  if sum_rest >= permits then
    sum, sum_rest = sum + 1, sum_rest - permits
  end
  if kind == PEEK and cost == 0 then
    granted = 1
  elseif kind == CHARGE then
    sum = math.min(sum, highest)
  elseif interval == 1 then
    if sum > capacity and at + math.ceil((sum - capacity) / permits) * period - now > wait then
      granted = 0
    end
  -- the rests decide only between equal levels
  elseif sum >= capacity + wait and (sum > capacity + wait or sum_rest > capacity_rest) then
    granted = 0
  end

  local value, ttl
  if kind ~= PEEK then
    if granted > 0 then
      value, ttl = packed(now, interval, permits, period, at, sum, sum_rest, since, refunded)
    elseif outdated then
      value, ttl = packed(now, interval, permits, period, at, level, rest, since, refunded)
    end
  end
  return granted, value, ttl, level, rest, interval == 1 and at + period - now or 0, 0
end
