-- Admits what is done for the first time, and refuses what is repeated.
--
-- Arguments  until when it remembers, us
functions.once = function(key, arguments, now)
  if redis.call('EXISTS', key) == 1 then
    return 0, nil, nil, 0, 0, 0, 0
  end
  return 1, '1', string.format('%d', math.max(1, math.ceil((arguments - now) / 1000))), 0, 0, 0, 0
end
