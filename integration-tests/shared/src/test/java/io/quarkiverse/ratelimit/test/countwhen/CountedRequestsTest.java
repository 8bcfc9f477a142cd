package io.quarkiverse.ratelimit.test.countwhen;

import java.util.stream.Stream;

import io.quarkus.test.junit.QuarkusTest;

/** Without those that return a stage, which Quarkus REST cancels when the client leaves. */
@QuarkusTest
class CountedRequestsTest extends CountedRequests {

    static Stream<String> paths() {
        return Stream.of("/counted-requests/plain", "/counted-requests/thrown", "/counted-requests/keyed",
                "/counted-by-route/plain");
    }
}
