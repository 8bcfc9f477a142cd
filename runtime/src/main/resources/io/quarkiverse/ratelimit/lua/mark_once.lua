-- Allows an operation the first time, and denies its repetitions.
--
-- KEYS     a sorted set of ids. The score is the time in us when the id expires. Each call that adds an id removes the expired
--          ones, so the set holds only the operations of that time
-- ARGV     how long to remember the operation in us, a space, its id
-- Returns  granted: 1 the first time, else 0
functions.mark_once = function(key, arguments, now)
  local lasts, id = arguments:match('^(%d+) (.+)$')
  if redis.call('ZSCORE', key, id) then
    return 0, nil, nil, 0, 0, 0, 0
  end
  local ttl = string.format('%d', math.ceil(lasts / 1000) + 1)
  return 1, function()
    redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', now))
    redis.call('ZADD', key, string.format('%d', now + lasts), id)
    redis.call('PEXPIRE', key, ttl)
  end, nil, 0, 0, 0, 0
end
