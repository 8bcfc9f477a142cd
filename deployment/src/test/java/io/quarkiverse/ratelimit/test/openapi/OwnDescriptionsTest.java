package io.quarkiverse.ratelimit.test.openapi;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.openapi.fixtures.DescribedLimits;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.http.Headers;

/** What the application describes stays as it is; headers that are not configured are neither described nor written. */
class OwnDescriptionsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = DescribedLimits.application(Resource.class)
            .overrideRuntimeConfigKey("quarkus.rate-limit.headers", "x-ratelimit");

    private DescribedLimits document;

    @BeforeEach
    void read() {
        document = DescribedLimits.served();
    }

    @Test
    void ownResponseStaysAsItIs() {
        assertThat(document.document().getMap("paths.'/own'.get.responses.'429'")).containsEntry("description", "Too fast")
                .doesNotContainKeys("content", "headers");
    }

    @Test
    void ownHeaderStaysAsItIs() {
        assertThat(document.document().getMap("paths.'/own'.get.responses.'200'.headers.X-RateLimit-Limit"))
                .containsEntry("description", "Calls per day").doesNotContainKey("$ref");
    }

    @Test
    void onlyConfiguredHeadersAreDescribed() {
        assertThat(document.headers("get", "/other", "200")).containsExactlyInAnyOrder("X-RateLimit-Limit",
                "X-RateLimit-Remaining", "X-RateLimit-Reset");
    }

    @Test
    void onlyConfiguredHeadersAreWritten() {
        for (int call = 0; call < 10; call++) {
            assertOnlyLegacyHeaders(when().get("/other").then().statusCode(200).extract().headers());
        }

        Headers denied = when().get("/other").then().statusCode(429).extract().headers();

        assertOnlyLegacyHeaders(denied);
        assertThat(denied.getValue("Retry-After")).isNotNull();
    }

    private static void assertOnlyLegacyHeaders(Headers headers) {
        assertThat(headers.asList()).extracting(io.restassured.http.Header::getName)
                .filteredOn(name -> name.toLowerCase(Locale.ROOT).contains("ratelimit"))
                .containsExactlyInAnyOrder("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset");
    }

    @Path("/")
    public static class Resource {
        @GET
        @Path("own")
        @RateLimited("quotes")
        @APIResponse(responseCode = "429", description = "Too fast")
        @APIResponse(responseCode = "200", description = "OK", headers = @Header(name = "X-RateLimit-Limit", description = "Calls per day"))
        public String own() {
            return "ok";
        }

        @GET
        @Path("other")
        @RateLimited("quotes")
        public String other() {
            return "ok";
        }
    }
}
