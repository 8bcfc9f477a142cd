package io.quarkiverse.ratelimit.runtime.caller;

import io.vertx.core.http.HttpServerRequest;

/** The sender of one HTTP request; nothing about it is worked out before it is asked for, and nothing twice. */
public final class HttpCaller implements Caller {

    private final HttpServerRequest request;
    private final HttpCallers callers;
    private String principal;
    private boolean resolved;
    private byte[] exactAddress;
    private String address;

    HttpCaller(HttpServerRequest request, HttpCallers callers) {
        this.request = request;
        this.callers = callers;
    }

    /** Names the caller once the identity is known; {@code null} for an anonymous one. */
    public HttpCaller authenticated(String principal) {
        this.principal = principal;
        return this;
    }

    @Override
    public String address() {
        resolve();
        return address;
    }

    /** The 4 or 16 bytes of the caller's address, {@code null} when it is not known. */
    public byte[] exactAddress() {
        resolve();
        return exactAddress;
    }

    private void resolve() {
        if (!resolved) {
            exactAddress = callers.addressOf(request);
            address = exactAddress == null ? null : callers.addresses().of(exactAddress);
            resolved = true;
        }
    }

    /** Whether forwarding headers came that are not configured to count, so that the address may be a proxy's. */
    public boolean isForwardedByStranger() {
        return callers.isForwardedByStranger(request);
    }

    @Override
    public String principal() {
        return principal;
    }

    @Override
    public String header(String name) {
        return request.getHeader(name);
    }
}
