package io.quarkiverse.ratelimit.runtime.caller;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Composes the stored form of a caller's key from the parts that a policy names.
 * <p>
 * Every part starts with its kind. A plain value follows {@code =}, as in {@code ip=203.0.113.7}. A digest follows
 * {@code *}, as in {@code header:x-api-key*…}, if the value may be a secret, is long or has special characters. A
 * {@code !}, as in {@code principal!}, stands for all callers without a value. Parts are joined with {@code |}.
 * <p>
 * None of {@code = * ! |} occurs within a kind or a plain value. So a stored form has one meaning only, and two callers
 * never share one. A stored form has no braces, because in a Redis cluster they select the slot.
 */
public final class KeyTemplate {

    /** One count for all callers. The stored form is empty. */
    public static final KeyTemplate GLOBAL = new KeyTemplate(List.of());

    private static final String GLOBAL_VALUE = "global";
    private static final Set<KeyPartKind> ONLY_OF_METHODS = EnumSet.of(KeyPartKind.PRINCIPAL, KeyPartKind.CLAIM,
            KeyPartKind.METHOD, KeyPartKind.PATH);

    private final List<KeyPart> parts;

    private KeyTemplate(List<KeyPart> parts) {
        this.parts = List.copyOf(parts);
    }

    /**
     * Parses a configured {@code key}: parts separated by commas, or {@code global}.
     *
     * @throws IllegalArgumentException if a part is invalid; the message names the part and the remedy
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
     * The stored form of a key that code passes to a policy without key parts and key arguments.
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

    /** Whether the key needs the authenticated caller. */
    public boolean needsIdentity() {
        return has(KeyPartKind.PRINCIPAL) || has(KeyPartKind.CLAIM);
    }

    /** Whether the caller's address is a part. {@link MissingKey#IP} may need the address too. */
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

    /** The parts in configuration notation; empty for {@link #GLOBAL}. */
    public List<String> parts() {
        return parts.stream().map(KeyPart::toString).toList();
    }

    /** The names of the key resolver beans. */
    public List<String> beans() {
        return parts.stream().filter(part -> part.kind() == KeyPartKind.BEAN).map(KeyPart::name).toList();
    }

    /** The parts that a route cannot resolve: they need the method or the authenticated caller. */
    public List<String> unknownOnRoutes() {
        return parts.stream().filter(part -> ONLY_OF_METHODS.contains(part.kind())).map(KeyPart::toString).toList();
    }

    /**
     * The stored form of a caller's key: the configured parts, then the key arguments of the method.
     *
     * @return {@code null} if a part is absent and {@code missing} is {@link MissingKey#SKIP} or {@link MissingKey#DENY}
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
     * The stored form for values that code passes. It equals the form that a request with these values resolves to.
     *
     * @param values in the order of the parts, followed by the key arguments
     * @param arguments how many key arguments limited methods append at most. {@link #GLOBAL} without arguments ignores
     *        the values and returns the one count for all callers.
     * @param addresses formats a value for the part {@code ip}
     * @throws IllegalArgumentException if there are fewer values than parts, or more than parts and arguments
     */
    public String of(List<String> values, int arguments, AddressForm addresses) {
        int given = values.size() - parts.size();
        boolean anyValues = parts.isEmpty() && arguments == 0;
        if (!anyValues && (given < 0 || given > arguments)) {
            throw new IllegalArgumentException("The key has " + count(values.size(), "value") + ", but the policy's"
                    + " key has " + count(parts.size(), "part") + ": " + this
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

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }

    private static void join(StringBuilder form, String part) {
        if (!form.isEmpty()) {
            form.append('|');
        }
        form.append(part);
    }

    /** The key in configuration notation. */
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
