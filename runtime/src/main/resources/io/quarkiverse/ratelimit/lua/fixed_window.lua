-- Counts in fixed windows: at most `permits` in each.
--
-- fixed_window takes permits
--   Arguments  manner, cost, the least of it, permits, period in us, at whose multiples since the epoch the windows begin; or 0, and the
--              edges of a calendar's windows around about now, ascending
--   Numbers    how many are used, us until the window ends, 0, 0
-- fixed_window_give_back gives back what was taken, until the window ends where it was taken
--   Arguments  how many permits, when they were taken, the end of their window
--
-- The key names the end of its window, since when it counts, and how many are used. They are used until that end. A call
-- whose window ends at another time, as its numbers are others or the clock has jumped back, has them carried over into
-- its own window, where they count until that one ends; also when it is refused, so that it can rely on that.
local ARGUMENTS, EDGES, GIVE_BACK, STORED = '<BI4I4I4d', '<ddddddd', '<I4dd', '<ddd'
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

-- What the key counts as of now: how many are used, since when, and until when.
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

functions.fixed_window_give_back = RARE and function(key, arguments, now)
  local count, taken_at, taken_until = struct.unpack(GIVE_BACK, arguments)
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
