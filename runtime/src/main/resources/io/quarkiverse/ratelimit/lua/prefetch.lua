-- Decides how many permits a call gets that acquires some ahead of the next calls, for the kind PREFETCH.
--
-- Of what is left after the call itself, `least`, it gets a quarter, up to `cost` in all, so that enough is left for other
-- instances. It gets nothing ahead when less than an eighth of the capacity is left. So close to the limit, each call is decided
-- by itself. The result is a multiple of `least`.
prefetched = function(cost, least, available, capacity)
  if available < least then
    return 0
  end
  local ahead = math.min(cost - least, math.floor((available - least) / 4))
  return available < math.ceil(capacity / 8) and least or least + ahead - ahead % least
end
