-- Keeps which keys are blocked, in bounded space: those whose blocks end last.
--
-- KEYS     [1] a sorted set: per blocked key the time in us when its block ends
-- ARGV     [1] microseconds to add to the server's clock; [2] 'add' or 'read'; then
--          add: how many keys to keep at most, then per blocked key: when its block ends in us, the key
-- Returns  read: the keys whose blocks have not ended
local time = redis.call('TIME')
local now = string.format('%d', time[1] * 1000000 + time[2] + ARGV[1])
local set = KEYS[1]

if ARGV[2] == 'read' then
  return redis.call('ZRANGE', set, '(' .. now, '+inf', 'BYSCORE')
end

-- the first write, so Redis checks its memory
redis.call('ZADD', set, unpack(ARGV, 4))
redis.call('ZREMRANGEBYSCORE', set, '-inf', now)
local first_to_end = redis.call('ZRANGE', set, 0, -ARGV[3] - 1)
if #first_to_end > 0 then
  redis.call('ZREM', set, unpack(first_to_end))
end
local last = redis.call('ZRANGE', set, -1, -1, 'WITHSCORES')[2]
if last then
  redis.call('PEXPIRE', set, string.format('%d', math.ceil((last - now) / 1000)))
end
return false
