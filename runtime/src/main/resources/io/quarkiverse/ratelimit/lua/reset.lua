-- Removes a key.
--
-- KEYS     any key
-- Returns  granted: 1
functions.reset = function(key)
  return 1, function()
    check_memory(key)
    redis.call('DEL', key)
  end, nil, 0, 0, 0, 0
end

-- Returns the results of a refund that writes a state again. The refund is remembered already, and must not fail because memory
-- is full: as the script has written before, Redis no longer checks it.
rewritten = function(key, state, ttl)
  return 1, function()
    check_memory(key)
    redis.call('SET', key, state, 'PX', ttl)
  end, nil, 0, 0, 0, 0
end

-- Finds out whether memory is full, before a write that needs none. algorithms.lua explains why. It leaves no trace: the key
-- exists already, or is deleted next. A script with only one key has no later calls to check for.
check_memory = function(key)
  if #KEYS > 1 and no_memory == nil then
    local reply = redis.pcall('SET', key, '', 'NX', 'PX', '1')
    no_memory = reply and reply.err and reply.err:find('OOM', 1, true) and reply or false
  end
end
