-- Decides calls one after the other. All limits of a call charge it, or none does if one of them denies it.
--
-- KEYS     the keys of all limits of all calls, in the order of ARGV
-- ARGV     per run of calls that differ only in their keys: the number of calls; one byte per limit, '0' if the limit can
--          deny the call, '1' to '~' for its shadow policy if not, or '*' if all limits grant as many as the strictest;
--          and per limit: the name of its function, its packed arguments
-- Returns  packed: the time in us as a double; then per limit REPLY, the number of permits that it grants, 0 if it denies, and
--          the four numbers of the function as they were before the call; or the double -1 for a call that failed. If any
--          call failed: an array of this string and the errors.
--
-- A function is function(key, arguments, now, cost, granted, n). If `cost` is given, it replaces the cost in the arguments. It
-- is the n-th function of its call, and `granted` has the permits that those before it grant. It returns the number of permits
-- granted, what to write, and its four numbers. If it grants permits, the write charges the call. If it denies, the write
-- repairs an outdated key or counts the denial. A write is a string and its time to live in ms, or a function and nil, or nil.
-- In a call with several limits, a write that is a function gets the number of writes of all of them.
-- Every function reads before anything is written. So an error ends only its own call and charges nothing.
local TIMED_REPLY = '<dddddd' -- time granted first second third fourth
local time = redis.pcall('TIME')
if time.err then
  return redis.error_reply('NOTIME Redis does not allow TIME in scripts. If it has ACL users, grant +time to the user of the '
    .. 'limiter, else use a Redis that allows TIME. ' .. time.err)
end
local now = time[1] * 1000000 + time[2]

-- The most common case by far: one call with one limit. If it fails, it has charged nothing, and the loop below repeats it
-- to get its error.
if ARGV[2] == '0' and #KEYS == 1 then
  local ok, granted, value, ttl, first, second, third, fourth = pcall(functions[ARGV[3]], KEYS[1], ARGV[4], now)
  if ok and (not ttl or redis.pcall('SET', KEYS[1], value, 'PX', ttl).ok) and (ttl or not value or pcall(value)) then
    return struct.pack(TIMED_REPLY, now, granted, first, second, third, fourth)
  end
end

local function decide(key, func, arguments)
  local granted, value, ttl, first, second, third, fourth = func(key, arguments, now)
  if ttl then
    if no_memory then
      error(no_memory)
    end
    redis.call('SET', key, value, 'PX', ttl)
  elseif value then
    value()
  end
  return struct.pack(REPLY, granted, first, second, third, fourth)
end

local replies, errors, key, arg = { struct.pack('<d', now) }, {}, 1, 1
while arg <= #ARGV do
  local groups, func, arguments = ARGV[arg + 1], functions[ARGV[arg + 2]], ARGV[arg + 3]
  for _ = 1, ARGV[arg] do
    local ok, reply
    if groups == '0' then
      ok, reply = pcall(decide, KEYS[key], func, arguments)
    else
      ok, reply = pcall(decide_together, groups, key, arg + 2, now)
    end
    if not ok then
      errors[#errors + 1] = type(reply) == 'table' and reply.err or tostring(reply)
      reply = struct.pack('<d', -1)
    end
    replies[#replies + 1] = reply
    key = key + #groups
  end
  arg = arg + 2 + 2 * #groups
end
local reply = table.concat(replies)
return #errors == 0 and reply or { reply, unpack(errors) }
