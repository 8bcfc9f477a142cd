-- Admits what is done for the first time, and refuses what is repeated.
--
-- Arguments  how long it remembers, ms
functions.once = function(key, arguments)
  if redis.call('EXISTS', key) == 1 then
    return 0, nil, nil, 0, 0, 0, 0
  end
  return 1, '1', arguments, 0, 0, 0, 0
end
