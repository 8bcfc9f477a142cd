package io.quarkiverse.ratelimit.test.nativeimage;

import java.util.Set;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.ProdBuildResults;
import io.quarkus.test.ProdModeTestResults;
import io.quarkus.test.QuarkusProdModeTest;

/** A native executable finds the providers of the limiter, also where only a resource is limited, and no client. */
class NativeClientTest extends ServicesOfTheImage {

    @RegisterExtension
    static final QuarkusProdModeTest APP = application("native-client", "quarkus-rest", "quarkus-rest-client",
            "quarkus-smallrye-graphql")
            .withApplicationRoot(jar -> jar.addClasses(Quotes.class, Client.class));

    @ProdBuildResults
    ProdModeTestResults results;

    @Override
    protected ProdModeTestResults results() {
        return results;
    }

    @Override
    protected Set<String> providers() {
        return Set.of("io.quarkiverse.ratelimit.runtime.entry.graphql.GraphQLDenial",
                "io.quarkiverse.ratelimit.runtime.entry.client.RetryAfterFilter");
    }

    @Path("/quotes")
    public static class Quotes {

        @Inject
        @RestClient
        Client client;

        @GET
        @RateLimited("quotes")
        public String quote() {
            return client.quote();
        }
    }

    @Path("/")
    @RegisterRestClient(baseUri = "http://localhost")
    public interface Client {

        @GET
        String quote();
    }
}
