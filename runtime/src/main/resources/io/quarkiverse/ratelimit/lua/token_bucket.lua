-- Counts by a token bucket: it holds at most `burst` permits and regains `permits` per `period`.
--
-- token_bucket acquires permits
--   Arguments  manner, interval (1: permits come back together after each whole period since the first use of the full bucket;
--              0: evenly), cost, least, permits, period in us, the level and the rest of the cost, the level and the rest
--              of the burst, the longest wait in us
--   Numbers    level, its rest, us until the next refill if interval is 1, 0
--
-- The level is the amount in use. With interval 0 it is GCRA's tat - now (ITU-T I.371): us, and a rest in 1/permits us, so that
-- no rate is rounded. With interval 1 it is a number of permits as of `at`, the last refill.
-- The key holds <BI4dddI4I7: interval, permits and period as of the last write, `at`, the level and its rest, and `since`, the
-- time since when it counts. At that time the bucket was full, or the limit changed and the permits in use were carried over.
-- If calls were refunded, <I7 follows: the time of the earliest refunded call. If the key tracks calls, the data described in
-- token_bucket_points.lua follows. A call that is not refundable removes that data.
local ARGUMENTS, STORED, SIZE, FIRST_REFUNDED, NOT_REFUNDED = '<BBI4I4I4ddI4dI4d', '<BI4dddI4I7', 40, '<I7', 2 ^ 53
local MAX_FILL_TIME, MAX_PERMITS_KEPT = 36525 * 86400000000, 1e15

-- The state of the key as of now: interval, permits, period, at, level and rest, since when it counts, the time of the earliest
-- refunded call, and whether `at` was in the future. In that case it is unknown how much earlier calls still hold.
local function current(key, now)
  local interval, permits, period, at, level, rest, since, refunded = stored(key, STORED, SIZE, STORED .. 'I7')
  if not interval then
    return 0, 0, 0, now, 0, 0, now, nil, false
  end
  if refunded <= SIZE + 1 then
    refunded = nil -- this is the position after the end of the string
  end
  local ahead = at > now
  if ahead then
    since, at = math.max(since, at + 1), now
  end
  if interval == 1 then
    local periods = math.floor((now - at) / period)
    at, level = at + periods * period, level - periods * permits
  else
    at, level = now, level - (now - at)
  end
  if level < 0 or level + rest == 0 then
    return interval, permits, period, now, 0, 0, now, nil, false
  end
  return interval, permits, period, at, level, rest, since, refunded, ahead
end

local function packed(now, interval, permits, period, at, level, rest, since, refunded)
  local full = interval == 1 and at + math.ceil(level / permits) * period or at + level + 1
  local state = struct.pack(STORED, interval, permits, period, at, level, rest, since)
  return refunded and state .. struct.pack(FIRST_REFUNDED, refunded) or state,
    string.format('%d', math.ceil((full - now) / 1000) + 1)
end

-- The time in which `count` permits come back evenly, and its rest. It is exact, because all products stay below 2^53.
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
  local was_interval, was_permits, was_period, at, level, rest, since, refunded, outdated = current(key, now)
  local converts = level + rest > 0 and (was_permits ~= permits or was_period ~= period or was_interval ~= interval)
  local most
  if converts or manner == CHARGE then
    most = interval == 1 and math.min(MAX_PERMITS_KEPT, permits * math.floor(MAX_FILL_TIME / period)) or MAX_FILL_TIME
  end
  if converts then
    local used = was_interval == 1 and level or (level * was_permits + rest) / was_period
    outdated, since, refunded = true, now, nil
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
    -- the estimate can be off by one in both directions
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
      value, ttl = packed(now, interval, permits, period, at, sum, sum_rest, since, refunded)
    elseif outdated then
      value, ttl = packed(now, interval, permits, period, at, level, rest, since, refunded)
    end
  end
  return granted, value, ttl, level, rest, interval == 1 and at + period - now or 0, 0
end
