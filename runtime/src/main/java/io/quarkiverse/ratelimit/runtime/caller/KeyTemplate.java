package io.quarkiverse.ratelimit.runtime.caller;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.quarkiverse.ratelimit.runtime.caller.KeyPart.Kind;

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
    public static final KeyTemplate GLOBAL = new KeyTemplate(List.of(), null);

    static final String SEPARATOR = "|";

    final List<KeyPart> parts;
    final MissingValueWarning warning;

    KeyTemplate(List<KeyPart> parts, MissingValueWarning warning) {
        this.parts = List.copyOf(parts);
        this.warning = warning;
    }

    /**
     * Returns the stored form of a caller's key: the configured parts, then the key arguments of the method.
     *
     * @param policy the name of the policy, to which only some arguments may belong
     * @param normalize changes the value of each part
     * @return {@code null} if a part is absent and {@code missing} is {@link MissingKey#SKIP} or {@link MissingKey#DENY}
     */
    public String resolve(CallDetails call, String policy, MissingKey missing, List<Normalization> normalize) {
        if (parts.size() == 1 && call.arguments().isEmpty()) {
            return parts.get(0).resolve(call, missing, normalize, warning);
        }
        List<String> forms = new ArrayList<>();
        for (KeyPart part : parts) {
            forms.add(part.resolve(call, missing, normalize, warning));
        }
        for (Object argument : call.arguments(policy)) {
            forms.add(KeyPart.ARGUMENT.write(KeyPart.argument(argument, normalize), call.caller(), missing));
        }
        return forms.contains(null) ? null : String.join(SEPARATOR, forms);
    }

    /** Returns the value of the only part, or else of the only argument; {@code null} if there are several. */
    public String value(CallDetails call, String policy, List<Normalization> normalize) {
        if (parts.size() == 1) {
            return parts.get(0).value(call, normalize);
        }
        List<Object> arguments = call.arguments(policy);
        return parts.isEmpty() && arguments.size() == 1 ? KeyPart.argument(arguments.get(0), normalize) : null;
    }

    /** Returns the parts that another key does not have. */
    public KeyTemplate without(KeyTemplate other) {
        return other == null ? this
                : new KeyTemplate(parts.stream().filter(part -> !other.parts.contains(part)).toList(), warning);
    }

    public boolean needsIdentity() {
        for (KeyPart part : parts) {
            if (part.kind().needsIdentity()) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the caller's address is a part. {@link MissingKey#IP} may need the address too. */
    public boolean needsAddress() {
        return has(Kind.IP);
    }

    boolean has(Kind kind) {
        for (KeyPart part : parts) {
            if (part.kind() == kind) {
                return true;
            }
        }
        return false;
    }

    /** Returns the parts that a route cannot resolve, in configuration notation. */
    public List<String> unknownOnRoutes() {
        return parts.stream().filter(part -> !part.kind().isKnownOnRoutes()).map(KeyPart::toString).toList();
    }

    /** Returns the parts in configuration notation; empty for {@link #GLOBAL}. */
    public List<String> parts() {
        return parts.stream().map(KeyPart::toString).toList();
    }

    public List<String> beans() {
        List<String> beans = new ArrayList<>(0);
        for (KeyPart part : parts) {
            if (part.kind() == Kind.BEAN) {
                beans.add(part.name());
            }
        }
        return beans;
    }

    @Override
    public String toString() {
        return parts.isEmpty() ? "global" : String.join(",", parts());
    }

    /**
     * What a decision about a call needs to know.
     *
     * @param method id of the limited method, or {@code null} if there is none
     * @param arguments arguments of parameters with {@code @RateLimitKey}, in declaration order
     * @param beanValues values that key resolver beans returned, by bean name
     */
    public record CallDetails(Caller caller, String method, List<KeyArgument> arguments, Map<String, String> beanValues) {

        /**
         * Returns the details from which the key of an overflow is composed. Without parts of its own, it consists of the
         * arguments of the first policy.
         *
         * @param key of the overflow, {@code null} for none
         * @param first name of the first policy
         */
        public CallDetails forOverflow(KeyTemplate key, String first) {
            return arguments.isEmpty() ? this
                    : new CallDetails(caller, method, key != null ? List.of()
                            : arguments(first).stream().map(value -> new KeyArgument(value, List.of())).toList(), beanValues);
        }

        /** Returns the arguments that belong to the key of a policy. */
        List<Object> arguments(String policy) {
            return arguments.stream().filter(argument -> argument.policies.isEmpty() || argument.policies.contains(policy))
                    .map(KeyArgument::value).toList();
        }
    }

    /**
     * An argument of a limited method that belongs to a key.
     *
     * @param policies names of the policies whose key it belongs to; empty for all
     */
    public record KeyArgument(Object value, List<String> policies) {
    }
}
