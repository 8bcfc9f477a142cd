package io.quarkiverse.ratelimit.runtime.admin;

import java.util.Set;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;

/**
 * Finds requests that a page of another origin makes with the rights of the browser's user. Browsers send
 * {@code Sec-Fetch-Site}, and where they do not, {@code Origin}; other clients send neither.
 */
final class CrossOriginCheck {

    private static final Set<String> OWN = Set.of("same-origin", "none");

    private CrossOriginCheck() {
    }

    static boolean isForeign(HttpServerRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        String origin = request.getHeader(HttpHeaders.ORIGIN);
        return site != null ? !OWN.contains(site) : origin != null && !isOwn(origin, request);
    }

    private static boolean isOwn(String origin, HttpServerRequest request) {
        int host = origin.indexOf("://");
        return host >= 0 && request.authority() != null
                && origin.substring(host + "://".length()).equalsIgnoreCase(request.authority().toString());
    }
}
