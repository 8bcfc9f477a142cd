package io.quarkiverse.ratelimit.runtime.caller;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
    private final MissingValueWarning warning;

    KeyTemplate(List<KeyPart> parts, MissingValueWarning warning) {
        this.parts = List.copyOf(parts);
        this.warning = warning;
    }

    /**
     * The stored form of a caller's key: the configured parts, then the key arguments of the method.
     *
     * @param normalize changes the value of each part
     * @return {@code null} if a part is absent and {@code missing} is {@link MissingKey#SKIP} or {@link MissingKey#DENY}
     */
    public String resolve(CallDetails call, MissingKey missing, List<Normalization> normalize) {
        if (parts.size() == 1 && call.arguments().length == 0) {
            return parts.get(0).resolve(call, missing, normalize, warning);
        }
        List<String> forms = new ArrayList<>();
        for (KeyPart part : parts) {
            forms.add(part.resolve(call, missing, normalize, warning));
        }
        for (Object argument : call.arguments()) {
            forms.add(KeyPart.ARGUMENT.write(KeyPart.argument(argument, normalize), call.caller(), missing));
        }
        return forms.contains(null) ? null : String.join(SEPARATOR, forms);
    }

    /** The value of the only part, or else of the only argument; {@code null} where there are several. */
    public String value(CallDetails call, List<Normalization> normalize) {
        if (parts.size() == 1) {
            return parts.get(0).value(call, normalize);
        }
        return parts.isEmpty() && call.arguments().length == 1 ? KeyPart.argument(call.arguments()[0], normalize) : null;
    }

    public boolean needsIdentity() {
        return has(KeyPart.Kind.PRINCIPAL) || has(KeyPart.Kind.CLAIM);
    }

    /** Whether the caller's address is a part. {@link MissingKey#IP} may need the address too. */
    public boolean needsAddress() {
        return has(KeyPart.Kind.IP);
    }

    private boolean has(KeyPart.Kind kind) {
        return parts.stream().anyMatch(part -> part.kind() == kind);
    }

    /** The parts in configuration notation; empty for {@link #GLOBAL}. */
    public List<String> parts() {
        return parts.stream().map(KeyPart::toString).toList();
    }

    public List<String> beans() {
        return parts.stream().filter(part -> part.kind() == KeyPart.Kind.BEAN).map(KeyPart::name).toList();
    }

    @Override
    public String toString() {
        return parts.isEmpty() ? KeyParser.GLOBAL : String.join(",", parts());
    }

    /**
     * What a decision about a call needs to know.
     *
     * @param method the limited method's id, or {@code null} if there is no limited method
     * @param arguments the arguments of parameters with {@code @RateLimitKey}, in declaration order
     * @param beanValues the values that key resolver beans returned, by bean name
     */
    public record CallDetails(Caller caller, String method, Object[] arguments, Map<String, String> beanValues) {
    }
}
