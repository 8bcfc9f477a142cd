package org.acme.entrypoints;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.vertx.web.Param;
import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HttpMethod;
import io.smallrye.mutiny.Uni;

/** Serves quotes as a reactive route. */
public class QuoteRoutes {

    // tag::route[]
    @Route(path = "/quotes/:author", methods = HttpMethod.GET)
    @RateLimited("quotes-by-author")
    Uni<String> quote(@Param String author) {
        return Uni.createFrom().item(author + ": Festina lente.");
    }
    // end::route[]
}
