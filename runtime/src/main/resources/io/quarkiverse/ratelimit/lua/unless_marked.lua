-- Denies an operation if mark_once.lua remembers it.
--
-- KEYS     the key of mark_once.lua
-- ARGV     the id of the operation
-- Returns  granted: 0 if it is remembered, else 1
functions.unless_marked = function(key, id)
  local known = redis.pcall('ZSCORE', key, id)
  local failure = known and known.err
  if failure and not failure:find('WRONGTYPE', 1, true) then
    error(known)
  end
  return known and not failure and 0 or 1, nil, nil, 0, 0, 0, 0
end
