-- Counts by a sliding log: at most `permits` in any span of `period`, exactly.
--
-- sliding_log acquires permits
--   Arguments  manner, cost, least, permits, period in us
--   Numbers    permits in use; us until `least` permits fit in addition to those granted, 0 if all are granted, or for a
--              CHARGE until `remaining` grows after it; us until `remaining` grows without this call; us until nothing counts
-- sliding_log_refund refunds permits to the entry of the call that acquired them, unless more than MAX_NEWER entries are
-- newer: it rewrites all of these
--   Arguments  number of permits, when they were acquired
--
-- The key is a list, newest first, with one entry per call: its time, and the total of permits up to and including it. An entry
-- counts while now < time + period. The last entry does not count: it holds the total before the others. Frequent operations
-- read only the ends of the list. The others find their entry in O(log n) steps. Entries older than the newest `permits`
-- permits have no effect and are merged into one, so there are never more than permits + 2 entries.
local ARGUMENTS, REFUND, ENTRY = '<BI4I4I4d', '<I4d', '<I7I5'
local SIZE, TOTALS, MAX_PERMITS_KEPT, MAX_NEWER = 12, 2 ^ 40, 1e12, 10000

-- The two oldest entries of a log, packed; or nothing, and whether the key holds something else.
local function oldest(key)
  local entries = redis.pcall('LRANGE', key, -2, -1)
  if #entries == 2 and #entries[1] == SIZE and #entries[2] == SIZE then
    return entries[1], entries[2]
  end
  return nil, nil, entries.err or #entries > 0
end

-- The last index for which `holds` is true, between `from`, where it is true, and `to`, where it is false. Tests neither end.
local function last_that(holds, from, to)
  local step = from < to and 1 or -1
  while (to - from - step) * step > 0 do
    if not holds(from + step) then
      to = from + step
      break
    end
    from, step = from + step, step * 2
  end
  while math.abs(to - from) > 1 do
    local middle = math.floor((from + to) / 2)
    if holds(middle) then
      from = middle
    else
      to = middle
    end
  end
  return from
end

functions.sliding_log = function(key, arguments, now, less)
  local manner, cost, least, permits, period = struct.unpack(ARGUMENTS, arguments)
  local second, base, foreign = oldest(key)
  local size, used, time, total, expired, first = 0, 0, 0, 0, 0, 0

  local function entry(index)
    return struct.unpack(ENTRY, redis.call('LINDEX', key, index * 2 < size and index or index - size))
  end
  -- how many permits were acquired after this entry
  local function after(index)
    local _, sum = entry(index)
    return (total - sum) % TOTALS
  end
  -- us until the permits acquired at this time no longer count
  local function left(at)
    return math.min(at, now) + period - now
  end
  -- us until no more than `most` permits count, if `taken` are acquired now
  local function until_only(most, taken)
    if taken > most then
      return period
    end
    return left((entry(last_that(function(index) return taken + after(index) > most end, expired, 0) - 1)))
  end

  if base then
    size = redis.call('LLEN', key)
    time, total = entry(0)
    if time + period > now then
      expired, first = size - 1, struct.unpack(ENTRY, second)
      if first + period <= now then
        expired = last_that(function(index) return entry(index) + period <= now end, expired, 0)
        base, first = redis.call('LINDEX', key, expired), entry(expired - 1)
      end
      local _, sum = struct.unpack(ENTRY, base)
      used = (total - sum) % TOTALS
    end
  end

  local granted = grant(less or cost, least, manner, permits - used)
  local taken = math.min(granted, MAX_PERMITS_KEPT - used)
  local retry, grows, full = 0, 0, 0
  if used > 0 then
    grows, full = used <= permits and left(first) or until_only(permits - 1, 0), left(time)
  end
  if manner == CHARGE then
    retry = used + taken <= permits and used > 0 and grows or until_only(math.min(used + taken, permits) - 1, taken)
  elseif (granted == 0 or least < cost) and least <= permits and used + taken + least > permits then
    retry = until_only(permits - least, taken)
  end

  local ttl = string.format('%d', math.ceil((granted > 0 and period or full) / 1000) + 1)
  local function write()
    if no_memory then
      error(no_memory)
    elseif foreign then
      -- SET fails when memory is full, DEL does not
      redis.call('SET', key, '')
      redis.call('DEL', key)
    end
    if not base then
      redis.call('RPUSH', key, struct.pack(ENTRY, now, taken), struct.pack(ENTRY, 0, 0))
    elseif granted > 0 or time > now then
      local replaced, kept = 0, expired
      if time >= now then
        replaced = last_that(function(index) return entry(index) >= now end, 0, expired) + 1
      end
      if granted > 0 and used + taken > permits then
        kept = last_that(function(index) return taken + after(index) >= permits end, expired, -1)
      end
      -- the command that needs memory comes first: it replaces an entry or adds one at the front
      local call, at = struct.pack(ENTRY, now, (total + taken) % TOTALS), replaced - 1
      if at >= 0 then
        redis.call('LSET', key, at, call)
      else
        redis.call('LPUSH', key, call)
        at, kept, expired, size = 0, kept + 1, expired + 1, size + 1
      end
      if at > 0 or kept < size - 1 then
        redis.call('LTRIM', key, at, math.max(at, kept))
      end
      if kept < expired then
        redis.call('RPUSH', key, base)
      end
    else
      redis.call('LSET', key, 0, redis.call('LINDEX', key, 0))
    end
    redis.call('PEXPIRE', key, ttl)
  end
  -- a denied call repairs a log whose newest entry is in the future, or that expires too early because the period is longer now
  local writes = granted > 0 or time > now or used > 0 and manner ~= PEEK and redis.call('PTTL', key) * 1000 < full
  return granted, manner ~= PEEK and writes and write or nil, nil, used, retry, grows, full
end

functions.sliding_log_refund = RARE and function(key, arguments)
  local returned, taken_at = struct.unpack(REFUND, arguments)
  local size = oldest(key) and redis.call('LLEN', key) or 1
  local function entry(index)
    return struct.unpack(ENTRY, redis.call('LINDEX', key, index * 2 < size and index or index - size))
  end

  local at = last_that(function(index) return entry(index) > taken_at end, -1, size - 1) + 1
  local time, total = 0, 0
  if at < size - 1 and at <= MAX_NEWER then
    time, total = entry(at)
  end
  if time ~= taken_at then
    return 1, nil, nil, 0, 0, 0, 0
  end
  local _, before = entry(at + 1)
  local count = (total - before) % TOTALS
  returned = math.min(returned, count)

  return 1, function()
    check_memory(key)
    local newest, newer = entry(0), at
    if returned == count then
      redis.call('LREM', key, 1, struct.pack(ENTRY, time, total))
      size, newer = size - 1, at - 1
    end
    if size == 1 then
      redis.call('DEL', key)
      return
    end
    for index = 0, newer do
      local when, sum = entry(index)
      redis.call('LSET', key, index, struct.pack(ENTRY, when, (sum - returned) % TOTALS))
    end
    if newer < 0 then
      local ttl = string.format('%d', math.max(1, redis.call('PTTL', key) - math.floor((newest - entry(0)) / 1000)))
      redis.call('PEXPIRE', key, ttl)
    end
  end, nil, 0, 0, 0, 0
end
