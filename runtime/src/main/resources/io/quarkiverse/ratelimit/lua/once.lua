-- Allows what is done for the first time, and denies what is repeated.
--
-- Arguments  for how long it is remembered in us, a space, its id
--
-- The key is a sorted set of ids, each scored by when it may be forgotten, in us. Whoever adds one removes those that are
-- over, so that there are no more than were done in that time.
functions.once = function(key, arguments, now)
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
