-- Tracks the calls of a token bucket, so that they can be refunded exactly.
--
-- KEYS     after STATE and REFUNDED of state.lua (2^53 if no call was refunded) follow BEGIN, the time since when calls are
--          tracked, and the points: from, till, and the permits acquired until the next point
--
-- A refund of a call at time T computes the level as if the call had not been made. That is the level without its permits, but
-- at least what is in use of all permits acquired after any moment later than T: the bucket may have been full at that moment.
-- The points are the moments that matter. A point is dropped when nothing of its permits is in use, or no more than of the next
-- point. If there are too many points, the two closest ones are merged. For calls before `till`, the permits of the merged
-- point count as acquired at `till`. A refund is then too small by what comes back between the two, and never too large.
local BEGIN = '<I7' -- begin
local POINT = '<I7I7I5' -- from till count
local POINT_SIZE, UNTRACKED_SIZE = struct.size(POINT), SIZE + struct.size(REFUNDED)

-- What is in use at time `now` of `count` permits acquired at `acquired_at`: level and rest. If nothing is, the level is at
-- most 0.
local function in_use(bucket, count, acquired_at, now)
  if bucket.interval == 1 then
    local refills = math.floor((now - bucket.at) / bucket.period) - math.floor((acquired_at - bucket.at) / bucket.period)
    return count - refills * bucket.permits, 0
  end
  local level, rest = level_of(0, count, bucket.permits, bucket.period)
  return level - (now - acquired_at), rest
end

-- The time since when the key tracks calls, nil if it does not, and its points.
local function points_of(key, since, now)
  local state, points = redis.pcall('GET', key), {}
  if type(state) ~= 'string' or #state <= UNTRACKED_SIZE or select(7, struct.unpack(STATE, state)) ~= since then
    return nil, points
  end
  local begin, first = struct.unpack(BEGIN, state, UNTRACKED_SIZE + 1)
  for position = first, #state, POINT_SIZE do
    local from, till, count = struct.unpack(POINT, state, position)
    points[#points + 1] = { from = from, till = till, count = count }
  end
  if #points > 0 and points[#points].till > now then
    return nil, {}
  end
  return begin, points
end

-- The points that still matter, and how many permits were acquired since the first of them.
local function relevant(bucket, points, now)
  local kept, next_point, count, sum = {}, now, 0, 0
  for n = #points, 1, -1 do
    local point = points[n]
    count = count + point.count
    local level, rest = in_use(bucket, count, point.till, next_point)
    if exceeds(level, rest, 0, 0) then
      table.insert(kept, 1, { from = point.from, till = point.till, count = count })
      next_point, sum, count = point.till, sum + count, 0
    end
  end
  return kept, sum
end

local function packed_points(begin, points)
  local packed = { struct.pack(BEGIN, begin) }
  for n, point in ipairs(points) do
    packed[n + 1] = struct.pack(POINT, point.from, point.till, point.count)
  end
  return table.concat(packed)
end
