-- Blocks a key, in place of a running block and of what a penalty has counted.
--
-- KEYS     see state.lua
-- ARGV     BLOCK: for how long, in us
-- Returns  granted: 1
local BLOCK = '<I7' -- time

functions['penalty/block'] = function(key, arguments, now)
  local ends = now + struct.unpack(BLOCK, arguments)
  return 1, struct.pack(STATE, now, ends, 0), string.format('%d', math.ceil((ends - now) / 1000) + 1), 0, 0, 0, 0
end
