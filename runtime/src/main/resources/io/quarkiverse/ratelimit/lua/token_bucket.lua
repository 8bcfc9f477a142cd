-- Counts by a token bucket: it holds at most `burst` permits and regains `permits` per `period`.
--
-- token_bucket takes permits
--   Arguments  manner, interval (1: all come back at once each whole period since the first use after it was full;
--              0: evenly), cost, the least of it, permits, period in us, the level of the cost and its rest, of the
--              burst and its rest, the longest wait in us
--   Numbers    level, its rest, us until permits come back at once, 0
-- token_bucket_give_back gives back what was taken, as far as it has not come back by itself in the meantime
--   Arguments  interval, how many permits, permits and period of then, when they were taken, when the bucket was to be
--              full again
--
-- The level is what is in use. Refilled evenly it is GCRA's tat - now (ITU-T I.371): us, and a rest in 1/permits us,
-- so that no rate is rounded. Refilled at once it is a number of permits as of `at`, the last refill.
-- The key names the numbers it was written with: when they have changed, the permits in use are carried over.
local ARGUMENTS, GIVE_BACK, STORED = '<BBI4I4I4ddI4dI4d', '<BI4I4ddd', '<BI4dddI4'
local MAX_FILL_TIME, MAX_PERMITS_KEPT = 36525 * 86400000000, 1e15

-- The key as of now: whether it is refilled at once, its numbers, time, level and rest, and whether its time was ahead.
local function current(key, now)
  local interval, permits, period, at, level, rest = stored(key, STORED, 33)
  if not interval then
    return 0, 0, 0, now, 0, 0, false
  end
  local ahead = at > now
  if ahead then
    at = now
  end
  if interval == 1 then
    local periods = math.floor((now - at) / period)
    at, level = at + periods * period, level - periods * permits
  else
    at, level = now, level - (now - at)
  end
  if level < 0 or level + rest == 0 then
    return interval, permits, period, now, 0, 0, false
  end
  return interval, permits, period, at, level, rest, ahead
end

local function packed(now, interval, permits, period, at, level, rest)
  local full = interval == 1 and at + math.ceil(level / permits) * period or at + level + 1
  return struct.pack(STORED, interval, permits, period, at, level, rest),
    string.format('%d', math.ceil((full - now) / 1000) + 1)
end

-- The time in which so many permits come back evenly, and its rest; exact, as all products stay below 2^53.
local time_of = RARE and function(count, permits, period)
  local whole = math.floor(period / permits)
  local part = period - whole * permits
  local high = math.floor(count / 32768)
  local low = count - high * 32768
  local first = high * part
  local quotient = math.floor(first / permits)
  local second = (first - quotient * permits) * 32768 + low * part
  local carry = math.floor(second / permits)
  return count * whole + quotient * 32768 + carry, second - carry * permits
end

functions.token_bucket = function(key, arguments, now, less)
  local manner, interval, cost, least, permits, period, time, time_rest, burst, burst_rest, max_wait =
    struct.unpack(ARGUMENTS, arguments)
  local was_interval, was_permits, was_period, at, level, rest, outdated = current(key, now)
  local converts = level + rest > 0 and (was_permits ~= permits or was_period ~= period or was_interval ~= interval)
  local most
  if converts or manner == CHARGE then
    most = interval == 1 and math.min(MAX_PERMITS_KEPT, permits * math.floor(MAX_FILL_TIME / period)) or MAX_FILL_TIME
  end
  if converts then
    local used = was_interval == 1 and level or (level * was_permits + rest) / was_period
    outdated = true
    if interval == 1 then
      level, rest = math.min(math.ceil(used), most), 0
      if now - at >= period then
        at = now
      end
    else
      local carried = math.min(used * period / permits, most)
      at, level = now, math.floor(carried)
      rest = math.floor((carried - level) * permits)
    end
  end

  local partly = less or least < cost
  if partly and interval == 1 then
    cost = less or math.max(0, math.min(cost, burst - level))
    cost = cost - cost % least
    time, time_rest = cost, 0
  end
  if partly and interval == 0 then
    local free = math.floor((burst - level) / period * permits + (burst_rest - rest) / period)
    -- the estimate may be one too low or too high
    cost = less or math.max(0, math.min(cost, free + 1))
    cost = cost - cost % least
    time, time_rest = time_of(cost, permits, period)
    while cost > 0 and (level + time > burst or (level + time == burst and rest + time_rest > burst_rest)) do
      cost = cost - least
      time, time_rest = time_of(cost, permits, period)
    end
  end
  local granted, sum, sum_rest = cost, level + time, rest + time_rest
  if sum_rest >= permits then
    sum, sum_rest = sum + 1, sum_rest - permits
  end
  if manner == CHARGE then
    sum = math.min(sum, most)
  elseif interval == 1 then
    if sum > burst and at + math.ceil((sum - burst) / permits) * period - now > max_wait then
      granted = 0
    end
  elseif sum >= burst + max_wait and (sum > burst + max_wait or sum_rest > burst_rest) then
    granted = 0
  end

  local value, ttl
  if manner ~= PEEK then
    if granted > 0 then
      value, ttl = packed(now, interval, permits, period, at, sum, sum_rest)
    elseif outdated then
      value, ttl = packed(now, interval, permits, period, at, level, rest)
    end
  end
  return granted, value, ttl, level, rest, interval == 1 and at + period - now or 0, 0
end

functions.token_bucket_give_back = RARE and function(key, arguments, now)
  local interval, count, permits, period, taken_at, full_at = struct.unpack(GIVE_BACK, arguments)
  local was_interval, was_permits, was_period, at, level, rest = current(key, now)
  if level + rest == 0 or was_interval ~= interval then
    return 1, nil, nil, 0, 0, 0, 0
  end

  if interval == 1 then
    if at > taken_at then
      return 1, nil, nil, 0, 0, 0, 0
    end
    level = math.max(0, level - count)
    if at == taken_at then
      at = now
    end
  else
    -- had nobody else called, no more than this would still be in use
    local time, time_rest = time_of(count, was_permits, was_period)
    local in_use = full_at - now
    if was_permits ~= permits or was_period ~= period then
      local used = math.min(in_use * permits / period, count - (now - taken_at) * was_permits / was_period)
      in_use = math.floor(used * was_period / was_permits)
    end
    if in_use <= time then
      time, time_rest = math.max(0, in_use), 0
    end
    level, rest = level - time, rest - time_rest
    if rest < 0 then
      level, rest = level - 1, rest + was_permits
    end
    if level < 0 then
      level, rest = 0, 0
    end
  end
  if level + rest == 0 then
    return functions.forget(key)
  end
  local value, ttl = packed(now, was_interval, was_permits, was_period, at, level, rest)
  return 1, value, ttl, 0, 0, 0, 0
end
