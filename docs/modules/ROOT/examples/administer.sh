# tag::look-up[]
curl -sS --fail-with-body -u "$OPERATOR" "$ADMIN/policies/partners/keys/acme"
# end::look-up[]

# tag::unblock[]
curl -sS --fail-with-body -u "$OPERATOR" -X DELETE "$ADMIN/policies/partners/keys/acme/block"
# end::unblock[]

# tag::reset[]
curl -sS --fail-with-body -u "$OPERATOR" -X DELETE "$ADMIN/policies/partners/keys/acme"
# end::reset[]

# tag::raise-key[]
curl -sS --fail-with-body -u "$OPERATOR" -X PUT "$ADMIN/policies/partners/keys/acme/override" \
    -H "Content-Type: application/json" -d '{"permits": 100, "period": "1h", "duration": "1d"}'
# end::raise-key[]

# tag::raise-policy[]
curl -sS --fail-with-body -u "$OPERATOR" -X PUT "$ADMIN/policies/partners/override" \
    -H "Content-Type: application/json" -d '{"permits": 20, "duration": "1d"}'
# end::raise-policy[]

# tag::as-configured[]
curl -sS --fail-with-body -u "$OPERATOR" -X DELETE "$ADMIN/policies/partners/override"
curl -sS --fail-with-body -u "$OPERATOR" -X DELETE "$ADMIN/policies/partners/keys/acme/override"
# end::as-configured[]

# tag::most-denied[]
curl -sS --fail-with-body -u "$OPERATOR" "$ADMIN/policies/quotes/most-denied?count=20"
# end::most-denied[]

# tag::most-denied-of-all[]
curl -sS --fail-with-body -u "$OPERATOR" "$ADMIN/most-denied?count=20"
# end::most-denied-of-all[]

# tag::blocked[]
curl -sS --fail-with-body -u "$OPERATOR" "$ADMIN/policies/quotes/blocked"
# end::blocked[]

# tag::block[]
curl -sS --fail-with-body -u "$OPERATOR" -X PUT "$ADMIN/policies/quotes/keys/203.0.113.7/block" \
    -H "Content-Type: application/json" -d '{"duration": "1h", "reason": "scraper"}'
# end::block[]

# tag::shadow[]
curl -sS --fail-with-body -u "$OPERATOR" -X PUT "$ADMIN/policies/quotes/shadow" \
    -H "Content-Type: application/json" -d '{"duration": "1h", "reason": "denies the wrong callers"}'
curl -sS --fail-with-body -u "$OPERATOR" -X DELETE "$ADMIN/policies/quotes/blocked"
# end::shadow[]

# tag::enforce[]
curl -sS --fail-with-body -u "$OPERATOR" -X DELETE "$ADMIN/policies/quotes/shadow"
# end::enforce[]

# tag::lower-policy[]
curl -sS --fail-with-body -u "$OPERATOR" -X PUT "$ADMIN/policies/quotes/override" \
    -H "Content-Type: application/json" -d '{"permits": 1, "duration": "1h"}'
# end::lower-policy[]

# tag::attack-over[]
curl -sS --fail-with-body -u "$OPERATOR" -X DELETE "$ADMIN/policies/quotes/keys/203.0.113.7/block"
curl -sS --fail-with-body -u "$OPERATOR" -X DELETE "$ADMIN/policies/quotes/override"
# end::attack-over[]
