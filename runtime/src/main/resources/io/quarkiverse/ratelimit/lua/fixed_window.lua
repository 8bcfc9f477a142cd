-- Counts in fixed windows: at most `permits` in each.
--
-- fixed_window acquires permits
--   Arguments  manner, cost, least, permits, period in us: windows begin at its multiples since the epoch; or 0, and the edges
--              of the calendar windows around now, ascending
--   Numbers    permits used, us until the window ends, 0, 0
-- fixed_window_refund refunds permits until the end of the window in which they were acquired
--   Arguments  number of permits, when they were acquired, the end of their window
--
-- The key holds the end of its window, the time since when it counts, and the permits used. They count until that end.
-- If the limit has changed or the clock has jumped back, the window of a call can end at another time. The call then moves the
-- used permits to its own window, where they count until that window ends. A denied call moves them, too, so that the wait
-- it reports is correct.
local ARGUMENTS, EDGES, REFUND, STORED = '<BI4I4I4d', '<ddddddd', '<I4dd', '<ddd'
local NUMBER_OF_EDGES, MAX_USED = 7, 1e15

local function end_of_window(now, period, arguments, position)
  if period > 0 then
    return now - now % period + period
  end
  local edges = { struct.unpack(EDGES, arguments, position) }
  if now >= edges[1] then
    for n = 2, NUMBER_OF_EDGES do
      if now < edges[n] then
        return edges[n]
      end
    end
  end
  error('OTHERTIME: these are not the windows around now', 0)
end

-- The state of the key as of now: permits used, since when it counts, and until when.
local function current(key, now)
  local ends, since, used = stored(key, STORED, 24)
  if not ends or now >= ends then
    return 0, now, now
  end
  return used, math.min(since, now), ends
end

local function packed(now, used, since, ends)
  return struct.pack(STORED, ends, since, used), string.format('%d', math.ceil((ends - now) / 1000) + 1)
end

functions.fixed_window = function(key, arguments, now, less)
  local manner, cost, least, permits, period, position = struct.unpack(ARGUMENTS, arguments)
  local ends = end_of_window(now, period, arguments, position)
  local used, since, counts_until = current(key, now)
  local granted = grant(less or cost, least, manner, permits - used)

  local value, ttl
  if manner ~= PEEK and (granted > 0 or (used > 0 and counts_until ~= ends)) then
    value, ttl = packed(now, math.min(used + granted, MAX_USED), since, ends)
  end
  return granted, value, ttl, used, ends - now, 0, 0
end

functions.fixed_window_refund = RARE and function(key, arguments, now)
  local count, taken_at, taken_until = struct.unpack(REFUND, arguments)
  local used, since, ends = current(key, now)
  if used == 0 or taken_at < since or now < taken_at or now >= taken_until then
    return 1, nil, nil, 0, 0, 0, 0
  end
  if used <= count then
    return functions.forget(key)
  end
  local value, ttl = packed(now, used - count, since, ends)
  return 1, value, ttl, 0, 0, 0, 0
end
