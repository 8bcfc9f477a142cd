-- Decides a token bucket: it holds at most `burst` permits and regains `permits` per `period`.
--
-- Arguments  interval (1: all come back at once each whole period since the first use after it was full; 0: evenly),
--            permits, period in us, cost and its rest, burst and its rest
-- Numbers    level, its rest, us until permits come back at once
--
-- The level is what is in use. Refilled evenly it is GCRA's tat - now (ITU-T I.371): us, and a rest in 1/permits us,
-- so that no rate is rounded. Refilled at once it is a number of permits as of `at`, the last refill.
-- The key names the numbers it was written with: when they have changed, the permits in use are carried over. What is
-- no bucket counts as none.
local ARGUMENTS, STORED = '<BI4ddI4dI4', '<BI4dddI4'
local MAX_FILL_TIME = 36525 * 86400000000

algorithms.token_bucket = function(key, arguments, now)
  local interval, permits, period, cost, cost_rest, burst, burst_rest = struct.unpack(ARGUMENTS, arguments)
  local at, level, rest, outdated = now, 0, 0, false
  local stored = redis.call('GET', key)

  if stored and #stored == struct.size(STORED) then
    local was_interval, was_permits, was_period
    was_interval, was_permits, was_period, at, level, rest = struct.unpack(STORED, stored)
    if at > now then
      at, outdated = now, true
    end
    if was_interval == 1 then
      local periods = math.floor((now - at) / was_period)
      at, level = at + periods * was_period, level - periods * was_permits
    else
      at, level = now, level - (now - at)
    end
    if level < 0 or level + rest == 0 then
      at, level, rest, outdated = now, 0, 0, false
    elseif was_permits ~= permits or was_period ~= period or was_interval ~= interval then
      local used = was_interval == 1 and level or (level * was_permits + rest) / was_period
      outdated = true
      if interval == 1 then
        level, rest = math.min(math.ceil(used), permits * math.floor(MAX_FILL_TIME / period)), 0
        if now - at >= period then
          at = now
        end
      else
        local time = math.min(used * period / permits, MAX_FILL_TIME)
        at, level = now, math.floor(time)
        rest = math.floor((time - level) * permits)
      end
    end
  end

  local sum, sum_rest = level + cost, rest + cost_rest
  if interval == 0 and sum_rest >= permits then
    sum, sum_rest = sum + 1, sum_rest - permits
  end
  local admitted = sum < burst or (sum == burst and sum_rest <= burst_rest)
  local value, ttl
  if admitted or outdated then
    local kept, kept_rest = level, rest
    if admitted then
      kept, kept_rest = sum, sum_rest
    end
    local full = interval == 1 and at + math.ceil(kept / permits) * period or at + kept + 1
    value = struct.pack(STORED, interval, permits, period, at, kept, kept_rest)
    ttl = string.format('%d', math.ceil((full - now) / 1000) + 1)
  end
  return admitted, value, ttl, level, rest, interval == 1 and at + period - now or 0
end
