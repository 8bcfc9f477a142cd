package org.acme.entrypoints;

import java.util.List;

import org.eclipse.microprofile.graphql.GraphQLApi;
import org.eclipse.microprofile.graphql.Query;
import org.eclipse.microprofile.graphql.Source;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimited;

/** Serves queries for books. */
// tag::api[]
@GraphQLApi
public class BookApi {

    public record Novel(String title) {
    }

    @Query
    @RateLimited("novels")
    public List<Novel> novels(@RateLimitCost int first) {
        return List.of(new Novel("Emma"), new Novel("Persuasion")).subList(0, first);
    }

    @RateLimited("reviews")
    public List<String> review(@Source List<Novel> novels) {
        return novels.stream().map(novel -> novel.title() + " is a classic.").toList();
    }
}
// end::api[]
