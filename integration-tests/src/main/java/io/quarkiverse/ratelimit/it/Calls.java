package io.quarkiverse.ratelimit.it;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.UriInfo;

import org.eclipse.microprofile.rest.client.RestClientBuilder;
import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.rest.client.reactive.Url;

/** Calls this application by REST clients, one that is injected and one that a builder creates. */
@Path("/calls")
public class Calls {

    private final Injected injected;

    Calls(@RestClient Injected injected) {
        this.injected = injected;
    }

    @GET
    @Path("/injected")
    public String injected(@Context UriInfo uri) {
        return injected.call(uri.getBaseUri().toString());
    }

    @GET
    @Path("/built")
    public String built(@Context UriInfo uri) throws Exception {
        try (Built built = RestClientBuilder.newBuilder().baseUri(uri.getBaseUri()).build(Built.class)) {
            return built.call();
        }
    }

    @GET
    @Path("/unlimited")
    public String unlimited(@Context UriInfo uri) throws Exception {
        try (Built built = RestClientBuilder.newBuilder().baseUri(uri.getBaseUri()).build(Built.class)) {
            return built.unlimited();
        }
    }

    @GET
    @Path("/answer")
    public String answer() {
        return "answer";
    }

    @Path("/calls/answer")
    @RegisterRestClient(baseUri = "http://localhost")
    public interface Injected {

        @GET
        @RateLimited("three-for-each")
        String call(@Url String application);
    }

    @Path("/calls/answer")
    public interface Built extends AutoCloseable {

        @GET
        @RateLimited("three-for-each")
        String call();

        @GET
        String unlimited();
    }
}
