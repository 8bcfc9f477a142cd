package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.List;

import org.eclipse.microprofile.graphql.GraphQLApi;
import org.eclipse.microprofile.graphql.Query;
import org.eclipse.microprofile.graphql.Source;

import io.quarkiverse.ratelimit.RateLimited;

/** The annotation on the class counts operations only. */
@GraphQLApi
@RateLimited("operations")
public class CatalogApi {

    public record Item(String name) {
    }

    @Query
    public List<Item> items() {
        return List.of(new Item("pen"), new Item("ink"), new Item("paper"));
    }

    public String price(@Source Item item) {
        return priceOf(item.name());
    }

    String priceOf(String name) {
        return name + " for free";
    }
}
