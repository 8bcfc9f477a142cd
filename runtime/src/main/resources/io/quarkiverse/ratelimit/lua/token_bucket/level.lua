-- Converts permits to a level and back.
--
-- With interval 0, a level is the time in which the permits come back evenly, and its rest. Both are exact, because all
-- products stay below 2^53. With interval 1, it is the number of permits.
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

-- The largest multiple of `least`, at most `cost`, that fits into the burst in addition to the level.
permits_that_fit = function(interval, cost, least, permits, period, level, rest, burst, burst_rest)
  if interval == 1 then
    local fitting = math.max(0, math.min(cost, burst - level))
    return fitting - fitting % least
  end
  -- the estimate can be off by one in both directions
  local estimate = math.floor((burst - level) / period * permits + (burst_rest - rest) / period)
  local fitting = math.max(0, math.min(cost, estimate + 1))
  fitting = fitting - fitting % least
  while fitting > 0 do
    local sum, sum_rest = level_of(interval, fitting, permits, period)
    sum, sum_rest = level + sum, rest + sum_rest
    if sum_rest >= permits then
      sum, sum_rest = sum + 1, sum_rest - permits
    end
    if sum < burst or sum == burst and sum_rest <= burst_rest then
      break
    end
    fitting = fitting - least
  end
  return fitting
end
