-- Decides calls one after the other: each is charged by all its limits or, when one of them refuses, by none.
--
-- KEYS     the keys of all limits of all calls, in the order of ARGV
-- ARGV     [1] microseconds to add to the server's clock
--          then per call: one byte per limit, '0' if it can refuse the call, else the number of its shadow policy, or 'u'
--          if all grant what the least of them grants; and per limit: the name of its function, its packed arguments
-- Returns  the time in us; then per limit: how many permits it grants, 0 if it refuses, and the function's four numbers
--          as they were before the call; for a call that failed its error as one string
--
-- A function is function(key, arguments, now, cost): how many permits it grants of those that its arguments ask for, or
-- of `cost`; what to store if the call is charged, or, when it refuses, what repairs a key that is out of date (else
-- nil): a string and its time to live in ms, or a function that writes; its four numbers.
-- An error ends only its own call, and as every function reads before anything is written, it charges nothing.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
local ENFORCED, UP_TO = 48, 117
local replies, size, key, arg = { now }, 1, 0, 2
local granted, value, ttl = {}, {}, {}

local function ask(groups, cost)
  local refused, least = {}, math.huge
  for n = 1, #groups do
    local at = size + 5 * n
    granted[n], value[n], ttl[n], replies[at - 3], replies[at - 2], replies[at - 1], replies[at] =
      functions[ARGV[arg + 2 * n - 1]](KEYS[key + n], ARGV[arg + 2 * n], now, cost)
    replies[at - 4] = granted[n]
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
end

while arg <= #ARGV do
  local groups = ARGV[arg]
  local ok, failure = pcall(decide, groups)
  if ok then
    size = size + 5 * #groups
  else
    for n = #replies, size + 1, -1 do
      replies[n] = nil
    end
    size = size + 1
    replies[size] = type(failure) == 'table' and failure.err or tostring(failure)
  end
  key, arg = key + #groups, arg + 2 * #groups + 1
end
return replies
