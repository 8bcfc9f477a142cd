package io.quarkiverse.ratelimit.runtime.caller;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.regex.Pattern;

import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;

/**
 * One part of a policy's key.
 *
 * @param name the name within the kind, such as a header's name; {@code null} for kinds without a name
 * @param stored writes the stored form of its values
 */
record KeyPart(Kind kind, String name, StoredForm stored) {

    /** An argument of a limited method, which may be a secret. */
    static final StoredForm ARGUMENT = StoredForm.secret("key");
    static final StoredForm ADDRESS = StoredForm.plain(Kind.IP.prefix);

    /** The stored form of this part, or {@code null} if the part is absent and {@code missing} defines no substitute. */
    String resolve(CallDetails call, MissingKey missing, List<Normalization> normalize, MissingValueWarning warning) {
        String value = value(call, normalize);
        if ((value == null || value.isEmpty()) && (kind == Kind.CLAIM || kind == Kind.HEADER || kind == Kind.COOKIE)) {
            warning.warn(call.caller(), toString(), "key", "missing-key applies");
        }
        return stored.write(value, call.caller(), missing);
    }

    /** The value of this part; {@code null} or empty if it is absent. */
    String value(CallDetails call, List<Normalization> normalize) {
        return normalized(kind.value(call, name), normalize);
    }

    /** The value of an argument; {@code null} or empty if it is absent. */
    static String argument(Object argument, List<Normalization> normalize) {
        Object value = valueOf(argument);
        return normalized(value == null ? null : value.toString(), normalize);
    }

    /** @param value may be {@code null} */
    static String normalized(String value, List<Normalization> steps) {
        String normalized = value;
        for (int i = 0; i < steps.size() && normalized != null; i++) {
            normalized = steps.get(i).apply(normalized);
        }
        return normalized;
    }

    private static Object valueOf(Object argument) {
        if (argument instanceof Optional<?> optional) {
            return optional.orElse(null);
        }
        if (argument instanceof OptionalInt number) {
            return number.isPresent() ? number.getAsInt() : null;
        }
        if (argument instanceof OptionalLong number) {
            return number.isPresent() ? number.getAsLong() : null;
        }
        if (argument instanceof OptionalDouble number) {
            return number.isPresent() ? number.getAsDouble() : null;
        }
        return argument;
    }

    /** The part in configuration notation. */
    @Override
    public String toString() {
        return name == null ? kind.prefix : kind.prefix + ':' + name;
    }

    /**
     * The stored form of a part: its kind, then its value in plain text or as a digest.
     *
     * @param plain the prefix of a plain value; {@code null} if values are always stored as digests
     * @param digest the prefix of a digest
     * @param absent the form for all callers without a value
     */
    record StoredForm(String plain, String digest, String absent) {

        private static final int MAX_PLAIN_LENGTH = 128;
        private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._:@/#()\\[\\]$,;+-]{0," + MAX_PLAIN_LENGTH + "}");

        /** Values that may appear in Redis, logs and metrics. */
        static StoredForm plain(String label) {
            return new StoredForm(label + '=', label + '*', label + '!');
        }

        /** Values that are always stored as digests, such as those of a header. */
        static StoredForm secret(String label) {
            return new StoredForm(null, label + '*', label + '!');
        }

        /** @return {@code null} if the value is absent and {@code missing} defines no substitute */
        String write(String value, Caller caller, MissingKey missing) {
            if (value != null && !value.isEmpty()) {
                return present(value);
            }
            return switch (missing) {
                case SHARED -> absent;
                // like key=ip: it equals no value of this part, and shares the slot of that key
                case IP -> caller.address() == null ? absent : ADDRESS.present(caller.address());
                case DENY, SKIP -> null;
            };
        }

        String present(String value) {
            return plain != null && PLAIN.matcher(value).matches() ? plain + value : digest + Digest.of(value);
        }
    }

    /** The kinds of parts that configuration can name. */
    enum Kind {

        IP("ip"),
        PRINCIPAL("principal"),
        METHOD("method"),
        HEADER("header:NAME"),
        COOKIE("cookie:NAME"),
        PATH("path:NAME"),
        QUERY("query:NAME"),
        CLAIM("claim:NAME"),
        BEAN("bean:NAME");

        /** How configuration names it. */
        final String notation;
        /** The part of the notation before the name, which the stored form contains too. */
        final String prefix;

        Kind(String notation) {
            int colon = notation.indexOf(':');
            this.notation = notation;
            this.prefix = colon < 0 ? notation : notation.substring(0, colon);
        }

        /** The value for a call; {@code null} or empty if it is absent. */
        String value(CallDetails call, String name) {
            return switch (this) {
                case IP -> call.caller().address();
                case PRINCIPAL -> call.caller().principal();
                case METHOD -> call.method();
                case HEADER -> call.caller().header(name);
                case COOKIE -> call.caller().cookie(name);
                case PATH -> call.caller().path(name);
                case QUERY -> call.caller().query(name);
                case CLAIM -> call.caller().claim(name);
                case BEAN -> call.beanValues().get(name);
            };
        }
    }
}
