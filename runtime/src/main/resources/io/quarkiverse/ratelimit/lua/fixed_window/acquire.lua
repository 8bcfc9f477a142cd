-- Acquires permits from a fixed window: at most `permits` in each.
--
-- KEYS     see state.lua
-- ARGV     ARGUMENTS: the period is in us, and windows begin at its multiples since the epoch. If it is 0, EDGES follow: the
--          edges of the calendar windows around now, ascending
-- Returns  granted, permits used, us until the window ends, 0, 0
local ARGUMENTS = '<BI4I4I4d' -- kind cost least permits period
local EDGES = '<ddddddd' -- edge1 edge2 edge3 edge4 edge5 edge6 edge7
local NUMBER_OF_EDGES = 7

-- When the window of now ends, and the length of the window that ends at `other`, or the longest of those around now.
local function window(now, other, period, arguments, position)
  if period > 0 then
    return now - now % period + period, period
  end
  local edges = { struct.unpack(EDGES, arguments, position) }
  local ends, longest, of_other = nil, 0, nil
  for n = NUMBER_OF_EDGES, 2, -1 do
    local length = edges[n] - edges[n - 1]
    ends = now < edges[n] and edges[n] or ends
    longest = math.max(longest, length)
    of_other = edges[n] == other and length or of_other
  end
  if not ends or now < edges[1] then
    error('OTHERTIME: these are not the windows around now', 0)
  end
  return ends, of_other or longest
end

functions['fixed_window/acquire'] = function(key, arguments, now, new_cost)
  local kind, cost, least, permits, period, position = struct.unpack(ARGUMENTS, arguments)
  local used, since, counts_until, ahead = current(key, now)
  local ends, length = window(now, counts_until, period, arguments, position)
  local of_clock = ends
  if ahead then
    ends = math.min(counts_until, now + length)
  end
  local granted = kind == PREFETCH and prefetched(cost, least, permits - used, permits)
    or grant(new_cost or cost, least, kind, permits - used)

  local value, ttl
  if kind ~= PEEK and (granted > 0 or (used > 0 and counts_until ~= ends)) then
    value, ttl = packed(now, math.min(used + granted, MAX_PERMITS_KEPT), since, ends, ends ~= of_clock)
  end
  return granted, value, ttl, used, ends - now, 0, 0
end
