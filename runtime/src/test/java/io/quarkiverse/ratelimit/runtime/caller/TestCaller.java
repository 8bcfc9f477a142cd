package io.quarkiverse.ratelimit.runtime.caller;

import java.util.HashMap;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;

/** A caller made of plain values, by the parts that name them: {@code principal}, {@code cookie:session}. */
record TestCaller(Map<String, String> parts) implements Caller {

    static final MissingValueWarning WARNING = new MissingValueWarning("test");

    TestCaller(String address, String principal, Map<String, String> headers) {
        this(new HashMap<>());
        parts.put("ip", address);
        parts.put("principal", principal);
        headers.forEach((name, value) -> parts.put("header:" + name, value));
    }

    static TestCaller at(String address) {
        return new TestCaller(address, null, Map.of());
    }

    static TestCaller named(String principal) {
        return new TestCaller(null, principal, Map.of());
    }

    static TestCaller sending(String header, String value) {
        return new TestCaller(null, null, Map.of(header, value));
    }

    /** A call without key arguments. */
    static CallDetails call(Caller caller, String method) {
        return new CallDetails(caller, method, new Object[0], Map.of());
    }

    TestCaller from(String address) {
        TestCaller moved = new TestCaller(new HashMap<>(parts));
        moved.parts.put("ip", address);
        return moved;
    }

    @Override
    public String address() {
        return parts.get("ip");
    }

    @Override
    public String principal() {
        return parts.get("principal");
    }

    @Override
    public String header(String name) {
        return parts.get("header:" + name);
    }

    @Override
    public String cookie(String name) {
        return parts.get("cookie:" + name);
    }

    @Override
    public String query(String name) {
        return parts.get("query:" + name);
    }

    @Override
    public String path(String name) {
        return parts.get("path:" + name);
    }

    @Override
    public String claim(String name) {
        return parts.get("claim:" + name);
    }
}
