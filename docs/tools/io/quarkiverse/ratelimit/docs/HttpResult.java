package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.util.List;

import io.quarkiverse.ratelimit.docs.Measured.Range;

/**
 * What was measured of one endpoint.
 *
 * @param ratio of requests per second to those of the unlimited endpoint
 * @param micros of the application's processor time per request
 * @param microsRatio to those of the unlimited endpoint
 */
record HttpResult(String endpoint, Range perSecond, Range ratio, Range micros, Range microsRatio) {

    static final String REFERENCE = "unlimited";

    /** The endpoints of an application that decides in this way, the unlimited one first. */
    static List<HttpResult> of(String decided) throws IOException {
        return Measured.by("http").stream().filter(line -> line.text("decided").equals(decided))
                .map(line -> new HttpResult(line.text("endpoint"), line.range("per_second"), line.range("to_unlimited"),
                        line.range("us"), line.range("us_to_unlimited")))
                .toList();
    }
}
