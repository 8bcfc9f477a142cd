-- Allows an operation the first time, and denies its repetitions.
--
-- KEYS     a sorted set of ids. The score is the time in us when the id expires. Each call that adds an id removes the expired
--          ones, so the set holds only the operations of that time. The key expires with the last one
-- ARGV     how long to remember the operation in us, a space, its id
-- Returns  granted: 1 the first time, else 0
functions.mark_once = function(key, arguments, now)
  local lasts, id = arguments:match('^(%d+) (.+)$')
  if redis.call('ZSCORE', key, id) then
    return 0, nil, nil, 0, 0, 0, 0
  end
  return 1, function()
    -- The first write, so Redis checks its memory. A refund is remembered even if memory is full.
    local reply = redis.pcall('ZADD', key, string.format('%d', now + lasts), id)
    local failed = type(reply) == 'table' and reply.err and reply
    if no_memory == nil then
      no_memory = failed and failed.err:find('OOM', 1, true) and failed or false
    end
    redis.call('ZREMRANGEBYSCORE', key, '-inf', string.format('%d', now))
    if failed then
      redis.call('ZADD', key, string.format('%d', now + lasts), id)
    end
    local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2]
    local ttl = string.format('%d', math.ceil((last - now) / 1000) + 1)
    redis.call('PEXPIRE', key, ttl)
  end, nil, 0, 0, 0, 0
end
