-- Acquires permits from a fixed window: at most `permits` in each.
--
-- KEYS     see state.lua
-- ARGV     ARGUMENTS: the period is in us, and windows begin at its multiples since the epoch. If it is 0, EDGES follow: the
--          edges of the calendar windows around now, ascending
-- Returns  granted, permits used, us until the window ends, 0, 0
local ARGUMENTS = '<BI4I4I4d' -- kind cost least permits period
local EDGES = '<ddddddd' -- edge1 edge2 edge3 edge4 edge5 edge6 edge7
local NUMBER_OF_EDGES = 7

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

functions['fixed_window/acquire'] = function(key, arguments, now, new_cost)
  local kind, cost, least, permits, period, position = struct.unpack(ARGUMENTS, arguments)
  local ends = end_of_window(now, period, arguments, position)
  local used, since, counts_until = current(key, now)
  local granted = kind == PREFETCH and prefetched(cost, least, permits - used, permits)
    or grant(new_cost or cost, least, kind, permits - used)

  local value, ttl
  if kind ~= PEEK and (granted > 0 or (used > 0 and counts_until ~= ends)) then
    value, ttl = packed(now, math.min(used + granted, MAX_PERMITS_KEPT), since, ends)
  end
  return granted, value, ttl, used, ends - now, 0, 0
end
