package io.quarkiverse.ratelimit.runtime.caller;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;

/** Composes the stored form of a key from values that code passes. */
public final class GivenKey {

    /** A value that code passes. */
    private static final KeyPart.StoredForm GIVEN = KeyPart.StoredForm.plain("key");

    private GivenKey() {
    }

    /**
     * The stored form for a policy without key parts and key arguments.
     *
     * @param values at least one
     */
    public static String of(List<String> values) {
        StringBuilder form = new StringBuilder();
        for (String value : values) {
            KeyTemplate.join(form, GIVEN.present(value));
        }
        return form.toString();
    }

    /**
     * The stored form for the key of a policy. It equals the form that a request with these values resolves to.
     *
     * @param values in the order of the parts, followed by the key arguments
     * @param arguments how many key arguments limited methods append at most. {@link KeyTemplate#GLOBAL} without arguments
     *        ignores the values and returns the one count for all callers.
     * @param addresses formats a value for the part {@code ip}
     * @throws IllegalArgumentException if there are fewer values than parts, or more than parts and arguments
     */
    public static String of(KeyTemplate key, List<String> values, int arguments, AddressForm addresses) {
        List<KeyPart> parts = key.keyParts();
        int given = values.size() - parts.size();
        boolean anyValues = parts.isEmpty() && arguments == 0;
        if (!anyValues && (given < 0 || given > arguments)) {
            throw new IllegalArgumentException("The key has " + count(values.size(), "value") + ", but the policy's"
                    + " key has " + count(parts.size(), "part") + ": " + key
                    + (arguments == 0 ? "" : ", and up to " + arguments + " of @RateLimitKey")
                    + ". Give one value for each, in this order.");
        }
        StringBuilder form = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            KeyPart part = parts.get(i);
            String value = values.get(i);
            KeyTemplate.join(form, part.stored().present(part.kind() == KeyPart.Kind.IP ? addresses.ofText(value) : value));
        }
        for (int i = parts.size(); i < Math.min(values.size(), parts.size() + arguments); i++) {
            KeyTemplate.join(form, KeyPart.ARGUMENT.present(values.get(i)));
        }
        return form.toString();
    }

    /**
     * Checks a key that an operator has typed.
     *
     * @param values in the order of the parts
     * @throws IllegalArgumentException if no caller can have this key
     */
    public static void requirePossible(KeyTemplate key, List<String> values, AddressForm addresses) {
        for (int i = 0; i < Math.min(key.keyParts().size(), values.size()); i++) {
            if (key.keyParts().get(i).kind() == KeyPart.Kind.IP && !addresses.isAddress(values.get(i))) {
                throw new IllegalArgumentException("\"" + values.get(i) + "\" is not an IP address, so no caller has this key."
                        + " Part " + (i + 1) + " of the key " + key + " is an address such as 203.0.113.7 or 2001:db8::7.");
            }
        }
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
