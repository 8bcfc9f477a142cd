-- Converts permits to a level and back, and calculates with levels.
--
-- With interval 0, a level is the time in which the permits come back evenly: their number times the emission interval,
-- period / permits. It has a rest in 1/permits us. Both are exact, because all products stay below 2^53. With interval 1, it is
-- the number of permits.
level_of = function(interval, count, permits, period)
  if interval == 1 then
    return count, 0
  end
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

local function exceeds(level, rest, other, other_rest)
  return level > other or level == other and rest > other_rest
end

-- The largest multiple of `least`, at most `cost`, that fits into the capacity in addition to the level.
permits_that_fit = function(interval, cost, least, permits, period, level, rest, capacity, capacity_rest)
  if interval == 1 then
    local fitting = math.max(0, math.min(cost, capacity - level))
    return fitting - fitting % least
  end
  -- the estimate can be off by one in both directions
  local estimate = math.floor((capacity - level) / period * permits + (capacity_rest - rest) / period)
  local fitting = math.max(0, math.min(cost, estimate + 1))
  fitting = fitting - fitting % least
  while fitting > 0 do
    local sum, sum_rest = level_of(interval, fitting, permits, period)
    sum, sum_rest = level + sum, rest + sum_rest
    if sum_rest >= permits then
      sum, sum_rest = sum + 1, sum_rest - permits
    end
    if not exceeds(sum, sum_rest, capacity, capacity_rest) then
      break
    end
    fitting = fitting - least
  end
  return fitting
end
