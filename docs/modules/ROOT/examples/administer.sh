# tag::look-up[]
curl -sf -u "$OPERATOR" "$ADMIN/policies/partners/keys/acme"
# end::look-up[]

# tag::unblock[]
curl -sf -u "$OPERATOR" -X DELETE "$ADMIN/policies/partners/keys/acme/block"
# end::unblock[]

# tag::reset[]
curl -sf -u "$OPERATOR" -X DELETE "$ADMIN/policies/partners/keys/acme"
# end::reset[]

# tag::raise-key[]
curl -sf -u "$OPERATOR" -X PUT "$ADMIN/policies/partners/keys/acme/override" \
    -H "Content-Type: application/json" -d '{"permits": 100, "period": "1h", "duration": "1d"}'
# end::raise-key[]

# tag::raise-policy[]
curl -sf -u "$OPERATOR" -X PUT "$ADMIN/policies/partners/override" \
    -H "Content-Type: application/json" -d '{"permits": 20, "duration": "1d"}'
# end::raise-policy[]

# tag::as-configured[]
curl -sf -u "$OPERATOR" -X DELETE "$ADMIN/policies/partners/override"
curl -sf -u "$OPERATOR" -X DELETE "$ADMIN/policies/partners/keys/acme/override"
# end::as-configured[]

# tag::most-denied[]
curl -sf -u "$OPERATOR" "$ADMIN/policies/quotes/most-denied?count=20"
# end::most-denied[]

# tag::block[]
curl -sf -u "$OPERATOR" -X PUT "$ADMIN/policies/quotes/keys/203.0.113.7/block" \
    -H "Content-Type: application/json" -d '{"duration": "1h"}'
# end::block[]

# tag::lower-policy[]
curl -sf -u "$OPERATOR" -X PUT "$ADMIN/policies/quotes/override" \
    -H "Content-Type: application/json" -d '{"permits": 1, "duration": "1h"}'
# end::lower-policy[]

# tag::attack-over[]
curl -sf -u "$OPERATOR" -X DELETE "$ADMIN/policies/quotes/keys/203.0.113.7/block"
curl -sf -u "$OPERATOR" -X DELETE "$ADMIN/policies/quotes/override"
# end::attack-over[]
