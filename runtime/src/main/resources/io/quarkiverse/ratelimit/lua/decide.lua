-- Decides calls one after the other: each is charged by all its limits or, when one of them refuses, by none.
--
-- KEYS     the keys of all limits of all calls, in the order of ARGV
-- ARGV     [1] microseconds to add to the server's clock
--          then per call: one byte per limit, '0' if it can refuse the call, else the number of its shadow policy, or 'u'
--          if all grant what the least of them grants; and per limit: the name of its function, its packed arguments
-- Returns  packed as doubles the time in us; then per limit: how many permits it grants, 0 if it refuses, and the
--          function's four numbers as they were before the call; -1 for a call that failed. When any failed, an array of
--          that and of the errors.
--
-- A function is function(key, arguments, now, cost): how many permits it grants of those that its arguments ask for, or
-- of `cost`; what to store if the call is charged, or, when it refuses, what repairs a key that is out of date (else
-- nil): a string and its time to live in ms, or a function that writes; its four numbers.
-- An error ends only its own call, and as every function reads before anything is written, it charges nothing.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]

-- One call of one limit is by far the commonest.
if ARGV[2] == '0' and #ARGV == 4 then
  local ok, granted, value, ttl, first, second, third, fourth = pcall(functions[ARGV[3]], KEYS[1], ARGV[4], now)
  local failure = not ok and granted
  if ttl then
    failure = redis.pcall('SET', KEYS[1], value, 'PX', ttl).err
  elseif value then
    ok, failure = pcall(value)
  end
  if failure then
    return { struct.pack('<dd', now, -1), type(failure) == 'table' and failure.err or tostring(failure) }
  end
  return struct.pack('<dddddd', now, granted, first, second, third, fourth)
end

local ENFORCED, UP_TO = 48, 117
local replies, errors, key, arg = { struct.pack('<d', now) }, {}, 0, 2
local granted, value, ttl, numbers = {}, {}, {}, {}

local function ask(groups, cost)
  local refused, least = {}, math.huge
  for n = 1, #groups do
    local first, second, third, fourth
    granted[n], value[n], ttl[n], first, second, third, fourth =
      functions[ARGV[arg + 2 * n - 1]](KEYS[key + n], ARGV[arg + 2 * n], now, cost)
    numbers[n] = struct.pack('<ddddd', granted[n], first, second, third, fourth)
    least = math.min(least, granted[n])
    if granted[n] == 0 then
      refused[groups:byte(n)] = true
    end
  end
  return refused, least
end

local function decide(groups)
  local refused, least = ask(groups)
  if groups:byte(1) == UP_TO and least > 0 then
    ask(groups, least)
  end
  for n = 1, #groups do
    local charged = not refused[ENFORCED] and not refused[groups:byte(n)]
    if value[n] and (charged or granted[n] == 0) then
      if ttl[n] then
        redis.call('SET', KEYS[key + n], value[n], 'PX', ttl[n])
      else
        value[n]()
      end
    end
  end
  return table.concat(numbers, '', 1, #groups)
end

while arg <= #ARGV do
  local groups = ARGV[arg]
  local ok, reply = pcall(decide, groups)
  if not ok then
    errors[#errors + 1] = type(reply) == 'table' and reply.err or tostring(reply)
    reply = struct.pack('<d', -1)
  end
  replies[#replies + 1] = reply
  key, arg = key + #groups, arg + 2 * #groups + 1
end
local reply = table.concat(replies)
return #errors == 0 and reply or { reply, unpack(errors) }
