-- Allows an operation the first time, and denies its repetitions.
--
-- KEYS     a sorted set of ids. The score is the time in us when the id expires. Each call that adds an id removes up to two
--          expired ones, so the set hardly grows beyond the ids in force, and no call takes long. The key expires with the
--          last one
-- ARGV     how long to remember the operation in us, and its id; the ids of others that will not be repeated; all with spaces
--          between them
-- Returns  granted: 1 the first time, else 0
--
-- If no other operation of the call writes, there is nothing to repeat, and the id is not added.
local REMOVED_PER_CALL = 2

functions.mark_once = function(key, arguments, now)
  local lasts, id, confirmed = arguments:match('^(%d+) (%S+)(.*)$')
  local known = redis.pcall('ZSCORE', key, id)
  local failure = known and known.err
  if failure and not failure:find('WRONGTYPE', 1, true) then
    error(known)
  elseif known and not failure then
    return 0, nil, nil, 0, 0, 0, 0
  end
  return 1, function(writes)
    if writes == 1 then
      return
    end
    if failure then
      redis.call('DEL', key) -- it has another type
    end
    -- The first write, so Redis checks its memory. A refund is remembered even if memory is full.
    local ends = string.format('%d', now + lasts)
    local reply = redis.pcall('ZADD', key, ends, id)
    local failed = type(reply) == 'table' and reply.err and reply
    if no_memory == nil then
      no_memory = failed and failed.err:find('OOM', 1, true) and failed or false
    end
    if failed then
      -- after a command that needs no memory, Redis no longer checks it
      redis.call('ZREM', key, id)
      redis.call('ZADD', key, ends, id)
    end
    for other in confirmed:gmatch('%S+') do
      redis.call('ZREM', key, other)
    end
    local oldest = redis.call('ZRANGE', key, 0, REMOVED_PER_CALL - 1, 'WITHSCORES')
    for n = 2, #oldest, 2 do
      if tonumber(oldest[n]) <= now then
        redis.call('ZREM', key, oldest[n - 1])
      end
    end
    local last = redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2]
    local ttl = string.format('%d', math.ceil((last - now) / 1000) + 1)
    redis.call('PEXPIRE', key, ttl)
  end, nil, 0, 0, 0, 0
end
