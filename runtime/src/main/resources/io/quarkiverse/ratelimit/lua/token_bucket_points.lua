-- Tracks the calls of a token bucket, so that they can be refunded exactly.
--
-- token_bucket_refundable acquires permits like token_bucket, with the same arguments and numbers
--
-- A refund of a call at time T computes the level as if the call had not been made. That is the level without its permits, but
-- at least what is left of all permits acquired after any moment later than T: the bucket may have been full at that moment.
-- The points are the moments that matter. A point is dropped when nothing of its permits is left, or no more than of the next
-- point. If there are too many points, the two closest ones are merged. For calls before `till`, the permits of the merged
-- point count as acquired at `till`. A refund is then too small by what comes back between the two, and never too large.
--
-- The key holds what token_bucket stores, always with the earliest refunded call (2^53 if there is none). Then follow `begin`,
-- the time since when calls are tracked, <I7; and per point <I7I7I5: from, till, and the permits acquired until the next point.
local BEGIN, POINT, POINT_SIZE = '<I7', '<I7I7I5', 19
local MAX_POINTS, MAX_COUNT = 16, 2 ^ 37

-- What is left of `count` permits acquired at `taken_at`, as level and rest. If nothing is left, the level is at most 0.
local function left(bucket, count, taken_at, now)
  if bucket.interval == 1 then
    local refills = math.floor((now - bucket.at) / bucket.period) - math.floor((taken_at - bucket.at) / bucket.period)
    return count - refills * bucket.permits, 0
  end
  local time, rest = time_of(count, bucket.permits, bucket.period)
  return time - (now - taken_at), rest
end

-- The time since when the key tracks calls, nil if it does not, and its points.
local function points_of(key, since, now)
  local state, points = redis.pcall('GET', key), {}
  if type(state) ~= 'string' or #state <= SIZE + 7 or select(7, struct.unpack(STORED, state)) ~= since then
    return nil, points
  end
  for position = SIZE + 15, #state, POINT_SIZE do
    local from, till, count = struct.unpack(POINT, state, position)
    points[#points + 1] = { from = from, till = till, count = count }
  end
  if #points > 0 and points[#points].till > now then
    return nil, {}
  end
  return struct.unpack(BEGIN, state, SIZE + 8), points
end

-- The points that still matter, and how many permits were acquired since the first of them.
local function those_that_matter(bucket, points, now)
  local kept, following, count, sum = {}, now, 0, 0
  for n = #points, 1, -1 do
    local point = points[n]
    count = count + point.count
    local level, rest = left(bucket, count, point.till, following)
    if level > 0 or level == 0 and rest > 0 then
      table.insert(kept, 1, { from = point.from, till = point.till, count = count })
      following, sum, count = point.till, sum + count, 0
    end
  end
  return kept, sum
end

local function add_point(points, now, count)
  local last = points[#points]
  if last and last.till == now then
    last.count = last.count + count
    return
  end
  points[#points + 1] = { from = now, till = now, count = count }
  if #points > MAX_POINTS then
    local closest = 1
    for n = 2, #points - 1 do
      if points[n + 1].till - points[n].from < points[closest + 1].till - points[closest].from then
        closest = n
      end
    end
    local first, second = points[closest], table.remove(points, closest + 1)
    first.till, first.count = second.till, first.count + second.count
  end
end

local function packed_points(begin, points)
  local packed = { struct.pack(BEGIN, begin) }
  for n, point in ipairs(points) do
    packed[n + 1] = struct.pack(POINT, point.from, point.till, point.count)
  end
  return table.concat(packed)
end

functions.token_bucket_refundable = function(key, arguments, now, less)
  local granted, value, ttl, level, rest, next_refill = functions.token_bucket(key, arguments, now, less)
  if granted > 0 and value then
    local interval, permits, period, at, sum, _, since = struct.unpack(STORED, value)
    local bucket = { interval = interval, permits = permits, period = period, at = at }
    local begin, points = points_of(key, since, now)
    local kept, count = those_that_matter(bucket, points, now)
    begin = begin or now
    if count + granted <= MAX_COUNT and (interval == 1 or sum < MAX_FILL_TIME) then
      add_point(kept, now, granted)
    else
      begin, kept = now + 1, {}
    end
    value = (#value > SIZE and value or value .. struct.pack(FIRST_REFUNDED, NOT_REFUNDED)) .. packed_points(begin, kept)
  end
  return granted, value, ttl, level, rest, next_refill, 0
end
