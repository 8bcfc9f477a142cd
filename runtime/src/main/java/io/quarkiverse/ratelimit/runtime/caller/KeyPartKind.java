package io.quarkiverse.ratelimit.runtime.caller;

import java.util.function.BiFunction;

/** Reads a part of a key from a call. Each constant is one kind of part that configuration can name. */
enum KeyPartKind {

    IP("ip", (call, name) -> call.caller().address()),
    PRINCIPAL("principal", (call, name) -> call.caller().principal()),
    METHOD("method", (call, name) -> call.method()),
    HEADER("header:NAME", (call, name) -> call.caller().header(name)),
    COOKIE("cookie:NAME", (call, name) -> call.caller().cookie(name)),
    PATH("path:NAME", (call, name) -> call.caller().path(name)),
    QUERY("query:NAME", (call, name) -> call.caller().query(name)),
    CLAIM("claim:NAME", (call, name) -> call.caller().claim(name)),
    BEAN("bean:NAME", (call, name) -> call.keys().get(name));

    /** How configuration names it. */
    final String notation;
    /** The part of the notation before the name, which the stored form contains too. */
    final String prefix;
    private final BiFunction<CallDetails, String, String> value;

    KeyPartKind(String notation, BiFunction<CallDetails, String, String> value) {
        int colon = notation.indexOf(':');
        this.notation = notation;
        this.prefix = colon < 0 ? notation : notation.substring(0, colon);
        this.value = value;
    }

    boolean hasName() {
        return !notation.equals(prefix);
    }

    /** The value for this call; {@code null} or empty if it is absent. */
    String value(CallDetails call, String name) {
        return value.apply(call, name);
    }
}
