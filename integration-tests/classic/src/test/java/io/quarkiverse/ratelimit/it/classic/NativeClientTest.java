package io.quarkiverse.ratelimit.it.classic;

import java.util.Set;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.nativeimage.ServicesOfTheImage;
import io.quarkus.test.ProdBuildResults;
import io.quarkus.test.ProdModeTestResults;
import io.quarkus.test.QuarkusProdModeTest;

/** A native executable with RESTEasy Classic and its client finds the providers of the limiter. */
class NativeClientTest extends ServicesOfTheImage {

    @RegisterExtension
    static final QuarkusProdModeTest APP = application("native-classic-client", "quarkus-resteasy", "quarkus-resteasy-client")
            .withApplicationRoot(jar -> jar.addClasses(Quotes.class, Client.class));

    @ProdBuildResults
    ProdModeTestResults results;

    @Override
    protected ProdModeTestResults results() {
        return results;
    }

    @Override
    protected Set<String> providers() {
        return Set.of("io.quarkiverse.ratelimit.runtime.entry.client.RetryAfterFilter",
                "io.quarkiverse.ratelimit.runtime.entry.client.ClassicClientContext");
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
        @RateLimited("calls")
        String quote();
    }
}
