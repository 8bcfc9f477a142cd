package io.quarkiverse.ratelimit.docs;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
    static List<HttpResult> of(String mode) throws IOException {
        Map<String, Map<String, Range>> endpoints = new LinkedHashMap<>();
        for (Measured line : Measured.by("http")) {
            String[] what = line.text("what").split(": |, ");
            if (what[0].equals(mode)) {
                endpoints.computeIfAbsent(what[1], name -> new LinkedHashMap<>()).put(what[2],
                        line.range("value", "low", "high"));
            }
        }
        return endpoints.entrySet().stream().map(one -> new HttpResult(one.getKey(), one.getValue().get("per second"),
                one.getValue().get("per second to " + REFERENCE), one.getValue().get("processor time in us"),
                one.getValue().get("processor time to " + REFERENCE))).toList();
    }
}
