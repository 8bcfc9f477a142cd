package io.quarkiverse.ratelimit.runtime.caller.address;

import io.quarkiverse.ratelimit.runtime.platform.vertx.ServedRequest;
import io.quarkus.vertx.http.runtime.ForwardedInfo;
import io.vertx.core.http.HttpServerRequest;

/** Tells what Quarkus itself has read from the forwarding headers of a request. */
public final class QuarkusForwarding {

    private QuarkusForwarding() {
    }

    /**
     * Returns whether Quarkus trusts the peer. Quarkus resolves trusted host names before it dispatches a request. The first
     * access to the remote address compares all trusted proxies with the peer, and records what it read if it is one of them.
     */
    static boolean trustsPeer(HttpServerRequest request) {
        request.remoteAddress();
        return read(request) != null;
    }

    /** Returns whether the host of the request may come from a header. */
    public static boolean mayNameHost(HttpServerRequest request) {
        // the first access reads the headers; of two kinds of headers, Quarkus records only one
        request.authority();
        ForwardedInfo read = read(request);
        return read != null && (read.getHost() != null || request.headers().contains("Forwarded"));
    }

    private static ForwardedInfo read(HttpServerRequest request) {
        return ServedRequest.local(request, ForwardedInfo.CONTEXT_KEY);
    }
}
