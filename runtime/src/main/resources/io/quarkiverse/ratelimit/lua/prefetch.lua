-- How many permits a request of the kind PREFETCH gets for the next calls of its instance.
--
-- It gets a quarter of what is left, up to `cost`, so that enough is left for other instances. It gets nothing when less than
-- an eighth of the capacity is left. So close to the limit, each call is decided by itself. The result is a multiple of
-- `least`.
prefetched = function(cost, least, available, capacity)
  local ahead = available < math.ceil(capacity / 8) and 0 or math.min(cost, math.floor(available / 4))
  return ahead - ahead % least
end
