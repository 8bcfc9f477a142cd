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
 * @param name name within the kind, such as a header's name; {@code null} for kinds without a name
 * @param stored writes the stored form of its values
 */
record KeyPart(Kind kind, String name, StoredForm stored) {

    /** Stored form of an argument of a limited method, which may be a secret. */
    static final StoredForm ARGUMENT = StoredForm.secret("key");
    static final StoredForm ADDRESS = StoredForm.plain(Kind.IP.prefix);

    /**
     * Returns the stored form of this part, or {@code null} if the part is absent and {@code missing} defines no substitute.
     */
    String resolve(CallDetails call, MissingKey missing, List<Normalization> normalize, MissingValueWarning warning) {
        String value = value(call, normalize);
        if ((value == null || value.isEmpty()) && kind.isExpected()) {
            warning.warn(call.caller(), toString(), "key", "missing-key applies");
        }
        return stored.write(value, call.caller(), missing);
    }

    /** Returns the value of this part; {@code null} or empty if it is absent. */
    String value(CallDetails call, List<Normalization> normalize) {
        return normalized(kind.value(call, name), normalize);
    }

    /** Returns the value of an argument; {@code null} or empty if it is absent. */
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

    /** Returns the part in configuration notation. */
    @Override
    public String toString() {
        return name == null ? kind.prefix : kind.prefix + ':' + name;
    }

    /**
     * The stored form of a part: its kind, then its value in plain text or as a digest.
     *
     * @param plain prefix of a plain value; {@code null} if values are always stored as digests
     * @param digest prefix of a digest
     * @param absent form for all callers without a value
     */
    record StoredForm(String plain, String digest, String absent) {

        private static final int MAX_PLAIN_LENGTH = 128;
        private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._:@/#()\\[\\]$,;+-]{0," + MAX_PLAIN_LENGTH + "}");

        /** Creates the form of values that may appear in Redis, logs and metrics. */
        static StoredForm plain(String label) {
            return new StoredForm(label + '=', label + '*', label + '!');
        }

        /** Creates the form of values that are always stored as digests, such as those of a header. */
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

        /** Returns what people can give in place of the value; {@code null} for a form that stands for a missing value. */
        String given(String form) {
            return plain != null && form.startsWith(plain) ? form.substring(plain.length())
                    : form.startsWith(digest) ? Digest.written(form.substring(digest.length())) : null;
        }
    }

    /** The kinds of parts that configuration can name. All that differs between them is here. */
    enum Kind {

        IP("ip", Names.NONE, Values.PLAIN, Origin.REQUEST),
        PRINCIPAL("principal", Names.NONE, Values.PLAIN, Origin.IDENTITY),
        METHOD("method", Names.NONE, Values.PLAIN, Origin.METHOD),
        HEADER("header", Names.HEADER, Values.EXPECTED_SECRET, Origin.REQUEST),
        COOKIE("cookie", Names.TOKEN, Values.EXPECTED_SECRET, Origin.REQUEST),
        PATH("path", Names.ANY, Values.SECRET, Origin.METHOD),
        QUERY("query", Names.ANY, Values.SECRET, Origin.REQUEST),
        CLAIM("claim", Names.ANY, Values.EXPECTED_SECRET, Origin.IDENTITY),
        BEAN("bean", Names.ANY, Values.SECRET, Origin.REQUEST);

        /** Beginning of the configured and of the stored form. */
        final String prefix;
        final Names names;
        private final Values values;
        private final Origin origin;

        Kind(String prefix, Names names, Values values, Origin origin) {
            this.prefix = prefix;
            this.names = names;
            this.values = values;
            this.origin = origin;
        }

        /** Reads the value of a name; {@code null} or empty if it is absent. */
        private String value(CallDetails call, String name) {
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

        String notation() {
            return names == Names.NONE ? prefix : prefix + ":NAME";
        }

        /** Returns whether values may be secrets, so that only digests are stored. */
        boolean isSecret() {
            return values != Values.PLAIN;
        }

        /** Returns whether every authenticated caller should have a value. If one does not, the name may be wrong. */
        boolean isExpected() {
            return values == Values.EXPECTED_SECRET;
        }

        boolean needsIdentity() {
            return origin == Origin.IDENTITY;
        }

        boolean isKnownOnRoutes() {
            return origin == Origin.REQUEST;
        }
    }

    /** The names of parts of one kind. {@code HEADER} is a token in any case. */
    enum Names {
        NONE,
        HEADER,
        TOKEN,
        ANY
    }

    private enum Values {
        PLAIN,
        SECRET,
        EXPECTED_SECRET
    }

    /** What must be known before a value is: the request, the authenticated caller, or the method that it calls. */
    private enum Origin {
        REQUEST,
        IDENTITY,
        METHOD
    }
}
