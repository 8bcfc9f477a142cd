-- Keeps pauses of keys by name, and a list of the last changes, so that a reader gets only what has changed since it read last.
-- Begins the scripts of pauses_change.lua and pauses_read.lua: repairs keys of another type, by removing them.
--
-- KEYS     [1] a sorted set: the names of all pauses by the time in us when they end; under '' the time until which instances
--          may keep pauses that are not here; [2] a list of the last changes, newest first, each with a version, '+' for a
--          pause, '-' for one that was ended or 'x' for one that another replaced, the time when it ends, and the name;
--          [3] a sorted set: the names of the pauses of one policy, as in [1]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local MAX_CHANGES = 1000
local all, changes, own = KEYS[1], KEYS[2], KEYS[3]
for n, probe in ipairs({ { 'ZSCORE', '' }, { 'LINDEX', 0 }, { 'ZSCORE', '' } }) do
  local reply = redis.pcall(probe[1], KEYS[n], probe[2])
  if type(reply) == 'table' and reply.err then
    assert(reply.err:find('WRONGTYPE', 1, true), reply.err)
    redis.call('DEL', KEYS[n])
  end
end
