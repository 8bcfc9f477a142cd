-- Acquires permits from a sliding log: at most `permits` in any span of `period`, exactly.
--
-- KEYS     see state.lua
-- ARGV     ARGUMENTS: the period is in us
-- Returns  granted; permits in use; us until `least` permits fit in addition to those granted, 0 if all are granted, or for a
--          CHARGE until `remaining` grows after it; us until `remaining` grows without this call; us until nothing counts
local ARGUMENTS = '<BI4I4I4d' -- kind cost least permits period
local MAX_PERMITS_LOGGED = 1e12

functions['sliding_log/acquire'] = function(key, arguments, now, new_cost)
  local kind, cost, least, permits, period = struct.unpack(ARGUMENTS, arguments)
  local second, base, foreign = oldest(key)
  local size, used, time, total, expired, first = 0, 0, 0, 0, 0, 0

  -- how many permits were acquired after this entry
  local function after(index)
    local _, sum = entry(key, size, index)
    return (total - sum) % TOTALS
  end
  -- us until the permits acquired at this time no longer count
  local function time_left(at)
    return math.min(at, now) + period - now
  end
  -- us until no more than `most` permits count, if `acquired` are acquired now
  local function until_only(most, acquired)
    if acquired > most then
      return period
    end
    local last = last_that(function(index) return acquired + after(index) > most end, expired, 0)
    return time_left((entry(key, size, last - 1)))
  end

  if base then
    size = redis.call('LLEN', key)
    time, total = entry(key, size, 0)
    if time + period > now then
      expired, first = size - 1, struct.unpack(ENTRY, second)
      if first + period <= now then
        expired = last_that(function(index) return entry(key, size, index) + period <= now end, expired, 0)
        base, first = redis.call('LINDEX', key, expired), entry(key, size, expired - 1)
      end
      local _, sum = struct.unpack(ENTRY, base)
      used = (total - sum) % TOTALS
    end
  end

  local granted = grant(new_cost or cost, least, kind, permits - used)
  local acquired = math.min(granted, MAX_PERMITS_LOGGED - used)
  local retry, grows, full = 0, 0, 0
  if used > 0 then
    grows, full = used <= permits and time_left(first) or until_only(permits - 1, 0), time_left(time)
  end
  if kind == CHARGE then
    retry = used + acquired <= permits and used > 0 and grows or until_only(math.min(used + acquired, permits) - 1, acquired)
  elseif (granted == 0 or least < cost) and least <= permits and used + acquired + least > permits then
    retry = until_only(permits - least, acquired)
  end

  local ttl = string.format('%d', math.ceil((granted > 0 and period or full) / 1000) + 1)
  local function write()
    if no_memory then
      error(no_memory)
    elseif granted > 0 or time > now then
      local kept = granted > 0 and expired > permits and permits - 1 or expired
      append({ key = key, foreign = foreign, size = size, time = time, total = total, expired = expired, base = base },
        now, acquired, kept)
    else
      redis.call('LSET', key, 0, redis.call('LINDEX', key, 0))
    end
    redis.call('PEXPIRE', key, ttl)
  end
  -- a denied call repairs a log whose newest entry is in the future, or that expires too early because the period is longer now
  local writes = granted > 0 or time > now or used > 0 and kind ~= PEEK and redis.call('PTTL', key) * 1000 < full
  return granted, kind ~= PEEK and writes and write or nil, nil, used, retry, grows, full
end
