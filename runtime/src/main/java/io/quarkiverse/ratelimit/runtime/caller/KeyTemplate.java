package io.quarkiverse.ratelimit.runtime.caller;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Composes the stored form of a caller's key from the parts that a policy names.
 * <p>
 * Every part carries its kind: {@code ip=203.0.113.7}, or {@code header:x-api-key*} and a digest where the value may be
 * a secret, is long or has odd characters, or {@code principal!} for all callers who lack it. Parts are joined with
 * {@code |}. None of {@code = * ! |} occurs within a kind or a plain value, so a form can be read back in one way only
 * and two callers never share one. Braces occur nowhere: in a cluster they delimit what chooses the slot.
 */
public final class KeyTemplate {

    /** One count for everybody: the stored form is empty. */
    public static final KeyTemplate GLOBAL = new KeyTemplate(List.of());

    private static final String GLOBAL_VALUE = "global";
    private static final Set<KeyPartKind> ONLY_OF_METHODS = EnumSet.of(KeyPartKind.PRINCIPAL, KeyPartKind.CLAIM,
            KeyPartKind.METHOD, KeyPartKind.PATH);

    private final List<KeyPart> parts;

    private KeyTemplate(List<KeyPart> parts) {
        this.parts = List.copyOf(parts);
    }

    /**
     * The template for a configured {@code key}: parts separated by commas, or {@code global}.
     *
     * @throws IllegalArgumentException when a part is wrong; the message says which, and the remedy
     */
    public static KeyTemplate parse(String value) {
        if (value.trim().equals(GLOBAL_VALUE)) {
            return GLOBAL;
        }
        List<KeyPart> parts = new ArrayList<>();
        for (String text : value.split(",", -1)) {
            KeyPart part = parsePart(text.trim(), value);
            if (parts.contains(part)) {
                throw new IllegalArgumentException('"' + value + "\" names the part " + part
                        + " twice. Leave one out.");
            }
            parts.add(part);
        }
        return new KeyTemplate(parts);
    }

    private static KeyPart parsePart(String text, String value) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException('"' + value + "\" has an empty part. Known parts: "
                    + KeyPartKind.known() + "; or global alone for one count for everybody. Name one or remove the comma.");
        }
        if (text.equals(GLOBAL_VALUE)) {
            throw new IllegalArgumentException('"' + value + "\" combines global with other parts."
                    + " Leave out global, or the others for one count for everybody.");
        }
        return KeyPartKind.parse(text);
    }

    /**
     * The stored form of a key that code gives to a policy which names no parts and is used with no arguments.
     *
     * @param values at least one
     */
    public static String given(List<String> values) {
        StringBuilder form = new StringBuilder();
        for (String value : values) {
            join(form, KeyPart.GIVEN.present(value));
        }
        return form.toString();
    }

    /** Whether the caller must be authenticated before the key is resolved. */
    public boolean needsIdentity() {
        return has(KeyPartKind.PRINCIPAL) || has(KeyPartKind.CLAIM);
    }

    /** Whether the caller's address is a part; {@link MissingKey#IP} may ask for it besides. */
    public boolean needsAddress() {
        return has(KeyPartKind.IP);
    }

    private boolean has(KeyPartKind kind) {
        for (KeyPart part : parts) {
            if (part.kind() == kind) {
                return true;
            }
        }
        return false;
    }

    /** Its parts as they are configured; none for one count for everybody. */
    public List<String> parts() {
        return parts.stream().map(KeyPart::toString).toList();
    }

    /** The names of the beans that say who is calling. */
    public List<String> beans() {
        return parts.stream().filter(part -> part.kind() == KeyPartKind.BEAN).map(KeyPart::name).toList();
    }

    /** The parts that are known only of a method that runs, and of a caller who is authenticated. */
    public List<String> unknownOnRoutes() {
        return parts.stream().filter(part -> ONLY_OF_METHODS.contains(part.kind())).map(KeyPart::toString).toList();
    }

    /**
     * The stored form of a caller's key: the configured parts, then the method's arguments that belong to it.
     *
     * @return {@code null} when a part is absent and {@code missing} is {@link MissingKey#SKIP} or
     *         {@link MissingKey#DENY}
     */
    public String resolve(CallDetails call, MissingKey missing) {
        if (parts.size() == 1 && call.arguments().length == 0) {
            return parts.get(0).resolve(call, missing);
        }
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            String part = parts.get(i).resolve(call, missing);
            if (part == null) {
                return null;
            }
            join(form, part);
        }
        for (Object argument : call.arguments()) {
            String part = KeyPart.resolve(argument, call.caller(), missing);
            if (part == null) {
                return null;
            }
            join(form, part);
        }
        return form.toString();
    }

    /**
     * The stored form for values known to code, the very one that a request with these values resolves to.
     *
     * @param values in the order of the parts, followed by the arguments that belong to the key
     * @param arguments how many arguments guarded methods append at most; {@link #GLOBAL} without any is one count for
     *        everybody, whatever the values
     * @param addresses brings a value for the part {@code ip} into the form it is counted by
     * @throws IllegalArgumentException when there are not as many values as parts, with or without the arguments
     */
    public String of(List<String> values, int arguments, AddressForm addresses) {
        int given = values.size() - parts.size();
        boolean anyValues = parts.isEmpty() && arguments == 0;
        if (!anyValues && (given < 0 || given > arguments)) {
            throw new IllegalArgumentException("The key has " + values.size() + " values, but the policy's key has "
                    + parts.size() + " parts: " + this
                    + (arguments == 0 ? "" : ", and up to " + arguments + " of @RateLimitKey")
                    + ". Give one value for each, in this order.");
        }
        if (parts.size() == 1 && given == 0) {
            return parts.get(0).of(values.get(0), addresses);
        }
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            join(form, parts.get(i).of(values.get(i), addresses));
        }
        for (int i = parts.size(); i < Math.min(values.size(), parts.size() + arguments); i++) {
            join(form, KeyPart.ARGUMENT.present(values.get(i)));
        }
        return form.toString();
    }

    private static void join(StringBuilder form, String part) {
        if (!form.isEmpty()) {
            form.append('|');
        }
        form.append(part);
    }

    /** The parts as they are configured. */
    @Override
    public String toString() {
        if (parts.isEmpty()) {
            return GLOBAL_VALUE;
        }
        StringBuilder text = new StringBuilder();
        for (KeyPart part : parts) {
            text.append(text.isEmpty() ? "" : ",").append(part);
        }
        return text.toString();
    }
}
