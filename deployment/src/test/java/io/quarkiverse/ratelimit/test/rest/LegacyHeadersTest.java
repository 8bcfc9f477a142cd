package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.get;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkus.test.QuarkusUnitTest;
import io.restassured.response.Response;

class LegacyHeadersTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(FirstUseTest.QuoteResource.class, Limits.class))
            .withConfiguration(Limits.threeAnHour("quotes", "global"))
            .overrideRuntimeConfigKey("quarkus.rate-limit.headers", "x-ratelimit");

    @Test
    void onlyTheChosenHeadersAreWritten() {
        for (int call = 1; call <= 3; call++) {
            assertHeaders(get("/quotes"));
        }

        Response denied = get("/quotes");

        assertThat(denied.statusCode()).isEqualTo(429);
        Limits.assertRetryAfter(1200, denied);
        assertHeaders(denied);
    }

    private static void assertHeaders(Response response) {
        assertThat(response.headers().hasHeaderWithName("RateLimit")).isFalse();
        assertThat(response.headers().hasHeaderWithName("RateLimit-Policy")).isFalse();
        assertThat(response.headers().hasHeaderWithName("X-RateLimit-Limit")).isTrue();
        assertThat(response.headers().hasHeaderWithName("X-RateLimit-Remaining")).isTrue();
        assertThat(response.headers().hasHeaderWithName("X-RateLimit-Reset")).isTrue();
    }
}
