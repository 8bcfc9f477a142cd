-- Begins or ends a pause, after pauses.lua. A new pause takes the place of the one of its policy that ends first, and never that
-- of another policy.
--
-- ARGV     [1] 'pause' or 'remove', [2] the name, [3] for 'pause' the time to live in us
-- Returns  pause: how long the previous pause would have lasted in us, 0 for none; remove: 1 if there was a pause, else 0
local MAX_PAUSES, MAX_PAUSES_OF_POLICY = 10000, 1000
local operation, name, ttl = ARGV[1], ARGV[2], tonumber(ARGV[3])

local function expire(key, least)
  redis.call('PEXPIRE', key, string.format('%d', math.max(redis.call('PTTL', key), least)))
end
local function change(sign, changed, till)
  local newest = redis.call('LINDEX', changes, 0)
  local version = math.max(now, newest and newest:match('^%d+') + 1 or 0)
  redis.call('LPUSH', changes, string.format('%d%s%d %s', version, sign, till, changed))
  redis.call('LTRIM', changes, 0, MAX_CHANGES - 1)
  expire(changes, math.max(10000, math.ceil((till - now) / 1000)))
end

local till = tonumber(redis.call('ZSCORE', all, name) or now)
if operation == 'remove' then
  local removed = redis.call('ZREM', all, name)
  if removed == 1 or tonumber(redis.call('ZSCORE', all, '') or now) > now then
    redis.call('ZREM', own, name)
    change('-', name, now)
  end
  return till > now and removed or 0
end
if till - now < ttl then
  local later = string.format('(%d', now)
  local first = redis.call('ZRANGE', own, later, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  local replies = tonumber(redis.call('ZSCORE', all, '') or 0)
  -- Redis checks its memory before the first write only, so that is one that needs memory.
  if till <= now and (redis.call('ZCOUNT', own, later, '+inf') >= MAX_PAUSES_OF_POLICY
      or redis.call('ZCOUNT', all, later, '+inf') - (replies > now and 1 or 0) >= MAX_PAUSES) then
    local lost = tonumber(first[2] or now + ttl)
    redis.call('ZADD', all, string.format('%d', math.max(lost, replies)), '')
    expire(all, math.ceil((lost - now) / 1000))
    if not first[1] then
      return redis.error_reply('TOOMANY there are ' .. MAX_PAUSES .. ' pauses already, and none of this policy ends for it')
    end
    redis.call('ZREM', all, first[1])
    redis.call('ZREM', own, first[1])
    change('x', first[1], lost)
  end
  for _, key in ipairs({ all, own }) do
    redis.call('ZADD', key, string.format('%d', now + ttl), name)
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    expire(key, math.ceil(ttl / 1000))
  end
  change('+', name, now + ttl)
end
return string.format('%d', math.max(0, till - now))
