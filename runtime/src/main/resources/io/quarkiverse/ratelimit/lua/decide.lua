-- Decides calls one after the other: each is charged by all its limits or, when one of them refuses, by none.
--
-- KEYS     the keys of all limits of all calls, in the order of ARGV
-- ARGV     [1] microseconds to add to the server's clock
--          then per call: one byte per limit, '0' if it can refuse the call, else the number of its shadow policy,
--          and per limit: the name of its algorithm, its packed arguments
-- Returns  per limit: 1 if it admits the call, else 0, and the algorithm's three numbers as they were before the call;
--          for a call that failed its error as one string
--
-- An algorithm is function(key, arguments, now): whether it admits the call; what to store if it is charged, or, when
-- it refuses, what repairs a key that is out of date (else nil); the time to live in ms; its three numbers.
-- An error ends only its own call, and as every algorithm reads before anything is written, it charges nothing.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2] + ARGV[1]
local ENFORCED = 48
local replies, size, key, arg = {}, 0, 0, 2
local admitted, value, ttl = {}, {}, {}

local function decide(groups)
  local refused = {}
  for n = 1, #groups do
    local at = size + 4 * n
    admitted[n], value[n], ttl[n], replies[at - 2], replies[at - 1], replies[at] =
      algorithms[ARGV[arg + 2 * n - 1]](KEYS[key + n], ARGV[arg + 2 * n], now)
    replies[at - 3] = admitted[n] and 1 or 0
    if not admitted[n] then
      refused[groups:byte(n)] = true
    end
  end
  for n = 1, #groups do
    local charged = not refused[ENFORCED] and not refused[groups:byte(n)]
    if value[n] and (charged or not admitted[n]) then
      redis.call('SET', KEYS[key + n], value[n], 'PX', ttl[n])
    end
  end
end

while arg <= #ARGV do
  local groups = ARGV[arg]
  local ok, failure = pcall(decide, groups)
  if ok then
    size = size + 4 * #groups
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
