package io.quarkiverse.ratelimit.runtime.caller;

import java.util.Map;

/** A caller made of plain values; names of headers are in lower case. */
record TestCaller(String address, String principal, Map<String, String> headers) implements Caller {

    static TestCaller at(String address) {
        return new TestCaller(address, null, Map.of());
    }

    static TestCaller named(String principal) {
        return new TestCaller(null, principal, Map.of());
    }

    static TestCaller sending(String header, String value) {
        return new TestCaller(null, null, Map.of(header, value));
    }

    TestCaller from(String address) {
        return new TestCaller(address, principal, headers);
    }

    @Override
    public String header(String name) {
        return headers.get(name);
    }
}
