package io.quarkiverse.ratelimit.runtime.caller;

import java.util.Locale;

/** Reads a part of a key from a call. Each constant is one kind of part that configuration can name. */
enum KeyPartKind {

    IP("ip") {
        @Override
        String value(CallDetails call, String name) {
            return call.caller().address();
        }
    },
    PRINCIPAL("principal") {
        @Override
        String value(CallDetails call, String name) {
            return call.caller().principal();
        }
    },
    METHOD("method") {
        @Override
        String value(CallDetails call, String name) {
            return call.method();
        }
    },
    HEADER("header:NAME") {
        @Override
        String value(CallDetails call, String name) {
            return call.caller().header(name);
        }

        @Override
        String canonical(String name) {
            if (!HttpToken.isToken(name)) {
                throw new IllegalArgumentException("\"header:" + name + "\" names no header: a header's name is made of"
                        + " letters, digits and !#$%&'*+-.^_`|~ only. Correct it.");
            }
            return name.toLowerCase(Locale.ROOT);
        }
    },
    COOKIE("cookie:NAME") {
        @Override
        String value(CallDetails call, String name) {
            return call.caller().cookie(name);
        }

        @Override
        String canonical(String name) {
            if (!HttpToken.isToken(name)) {
                throw new IllegalArgumentException("\"cookie:" + name + "\" names no cookie: a cookie's name is made of"
                        + " letters, digits and !#$%&'*+-.^_`|~ only. Correct it.");
            }
            return name;
        }
    },
    PATH("path:NAME") {
        @Override
        String value(CallDetails call, String name) {
            return call.caller().path(name);
        }
    },
    QUERY("query:NAME") {
        @Override
        String value(CallDetails call, String name) {
            return call.caller().query(name);
        }
    },
    CLAIM("claim:NAME") {
        @Override
        String value(CallDetails call, String name) {
            return call.caller().claim(name);
        }
    },
    BEAN("bean:NAME") {
        @Override
        String value(CallDetails call, String name) {
            return call.keys().get(name);
        }
    };

    private static final String NAME = ":NAME";

    private final String notation;
    private final String prefix;

    KeyPartKind(String notation) {
        this.notation = notation;
        this.prefix = notation.endsWith(NAME) ? notation.substring(0, notation.length() - NAME.length()) : notation;
    }

    /** The value for this call; {@code null} or empty if it is absent. */
    abstract String value(CallDetails call, String name);

    /** Normalizes a name for comparison. */
    String canonical(String name) {
        return name;
    }

    String prefix() {
        return prefix;
    }

    /**
     * Parses a part such as {@code header:X-Api-Key}.
     *
     * @throws IllegalArgumentException if the text is not a part; the message gives the reason and the remedy
     */
    static KeyPart parse(String text) {
        int colon = text.indexOf(':');
        String prefix = colon < 0 ? text : text.substring(0, colon);
        for (KeyPartKind kind : values()) {
            if (kind.prefix.equals(prefix)) {
                return kind.part(colon < 0 ? null : text.substring(colon + 1), text);
            }
        }
        throw new IllegalArgumentException('"' + text + "\" is no part of a key. Known parts: " + known()
                + "; or global alone for one count for everybody. Correct it.");
    }

    private KeyPart part(String name, String text) {
        if (!notation.endsWith(NAME)) {
            if (name != null) {
                throw new IllegalArgumentException('"' + text + "\" gives the part " + prefix
                        + " a name, but it takes none. Write " + prefix + '.');
            }
            return new KeyPart(this, null, StoredPart.of(prefix));
        }
        if (name == null || name.isEmpty()) {
            throw new IllegalArgumentException('"' + text + "\" lacks a name. Write " + notation + '.');
        }
        String canonical = canonical(name);
        return new KeyPart(this, canonical, StoredPart.secret(prefix, canonical));
    }

    /** The parts that configuration can name, for messages. */
    static String known() {
        StringBuilder known = new StringBuilder();
        for (KeyPartKind kind : values()) {
            known.append(known.isEmpty() ? "" : ", ").append(kind.notation);
        }
        return known.toString();
    }
}
