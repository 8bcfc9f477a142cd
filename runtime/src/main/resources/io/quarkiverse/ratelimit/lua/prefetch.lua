-- How many permits a call of the kind PREFETCH gets: its own, `least`, and some for the next calls of its instance.
--
-- Of what is left after its own permits, it gets a quarter, up to `cost` in all, so that enough is left for other
-- instances. It gets nothing ahead when less than an eighth of the capacity is left. So close to the limit, each call is
-- decided by itself. The result is a multiple of `least`.
prefetched = function(cost, least, available, capacity)
  if available < least then
    return 0
  end
  local ahead = math.min(cost - least, math.floor((available - least) / 4))
  return available < math.ceil(capacity / 8) and least or least + ahead - ahead % least
end
