package io.quarkiverse.ratelimit.runtime.entry.http;

import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;

import io.quarkiverse.ratelimit.runtime.engine.limits.InvalidCost;

/** Maps the cost of a request that is not a valid cost to status 400. */
public class InvalidCostMapper implements ExceptionMapper<InvalidCost.OfRequest> {

    @Override
    public Response toResponse(InvalidCost.OfRequest invalid) {
        return Response.status(Response.Status.BAD_REQUEST).type(DenialResponse.CONTENT_TYPE)
                .entity(DenialResponse.invalidCost(invalid)).build();
    }
}
