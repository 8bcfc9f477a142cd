package io.quarkiverse.ratelimit.runtime.caller;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;

/**
 * A caller's key that code passed to the limiter.
 *
 * @param values the plain values as the policy normalizes them, in the order of the parts of the policy's key; empty for
 *        {@code key=global}
 * @param stored the form that appears in Redis, logs and metrics
 */
public record PassedKey(List<String> values, String stored) {

    /**
     * Reads the keys that code passes to the limiters of one policy.
     *
     * @param key {@code null} for a policy without key parts
     * @param normalize changes each value
     * @param arguments how many key arguments limited methods append at most
     * @param addresses formats a value for the part {@code ip}
     */
    public record Reader(String policy, KeyTemplate key, List<Normalization> normalize, int arguments, AddressForm addresses) {

        private static final KeyPart.StoredForm WITHOUT_PART = KeyPart.StoredForm.plain("key");

        /** The key of a limiter before code passes one; {@code null} where the policy needs one. */
        public PassedKey initial() {
            return key == KeyTemplate.GLOBAL ? read() : null;
        }

        /**
         * Reads a key. Its stored form equals the form that a request with these values resolves to.
         *
         * @param values in the order of the parts, followed by the key arguments. {@link KeyTemplate#GLOBAL} without arguments
         *        ignores the values and returns the one count for all callers. A policy without parts and arguments accepts any
         *        number, at least one.
         * @throws IllegalArgumentException if a value is null, or their number does not match the policy's key
         */
        public PassedKey read(String... values) {
            if (values == null || Arrays.asList(values).contains(null)) {
                throw new IllegalArgumentException((values == null ? "the key of policy " : "each value of the key of policy ")
                        + policy + " is required, but is null");
            }
            requireNumber(values.length);
            List<String> normalized = Stream.of(values).map(value -> KeyPart.normalized(value, normalize)).toList();
            int count = key == KeyTemplate.GLOBAL ? Math.min(values.length, arguments) : values.length;
            List<String> forms = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                forms.add(stored(i, normalized.get(i)));
            }
            return new PassedKey(normalized, String.join(KeyTemplate.SEPARATOR, forms));
        }

        private List<KeyPart> parts() {
            return key == null ? List.of() : key.parts;
        }

        private String stored(int index, String value) {
            if (index >= parts().size()) {
                return (key == null && arguments == 0 ? WITHOUT_PART : KeyPart.ARGUMENT).present(value);
            }
            KeyPart part = parts().get(index);
            return part.stored().present(part.kind() == KeyPart.Kind.IP ? addresses.format(value) : value);
        }

        private void requireNumber(int values) {
            int parts = parts().size();
            if (values == 0 && key == null) {
                throw new IllegalArgumentException("Policy " + policy + " counts per caller. Give the key at least one value"
                        + (arguments == 0 ? "." : ", that of @RateLimitKey."));
            }
            boolean anyNumber = parts == 0 && arguments == 0;
            if (!anyNumber && (values < parts || values > parts + arguments)) {
                throw new IllegalArgumentException("The key has " + count(values, "value") + ", but the policy's key has "
                        + (parts == 0 ? "" : count(parts, "part") + ": " + key + (arguments == 0 ? "" : ", and "))
                        + (arguments == 0 ? "" : "up to " + arguments + " of @RateLimitKey")
                        + ". Give one value for each, in this order.");
            }
        }

        /**
         * Reads a key that an operator has typed.
         *
         * @throws IllegalArgumentException as {@link #read}, and if no caller can have this key
         */
        public PassedKey readPossible(String... values) {
            PassedKey passed = read(values);
            if (values.length > 0 && key == KeyTemplate.GLOBAL && arguments == 0) {
                throw new IllegalArgumentException("Policy " + policy + " has one count for all callers (key=global), so no"
                        + " caller has a key of its own. Leave out the values to change that count.");
            }
            if (passed.values().contains("")) {
                throw new IllegalArgumentException("A value of the key is empty, so no caller has this key. Callers without a"
                        + " value count as missing-key says.");
            }
            for (int i = 0; i < Math.min(parts().size(), values.length); i++) {
                if (parts().get(i).kind() == KeyPart.Kind.IP && !addresses.isAddress(passed.values().get(i))) {
                    throw new IllegalArgumentException("\"" + values[i] + "\" is not an IP address, so no caller has this key."
                            + " Part " + (i + 1) + " of the key " + key
                            + " is an address such as 203.0.113.7 or 2001:db8::7.");
                }
            }
            return passed;
        }

        /** @throws IllegalArgumentException when the policy needs a key and code has passed none */
        public PassedKey required(PassedKey passed) {
            if (passed == null) {
                throw new IllegalArgumentException("Policy " + policy + " counts per caller"
                        + (key == null ? "" : " (key=" + key + ")") + ". Call forKey(...) first.");
            }
            return passed;
        }

        /** @throws UnsupportedOperationException when the policy has no key, or counts each method on its own */
        public void requireInRequest() {
            String reason = key == null ? "it has no key; or configure quarkus.rate-limit.policies." + policy + ".key"
                    : parts().stream().anyMatch(part -> part.kind() == KeyPart.Kind.METHOD)
                            ? "its key " + key + " has a count for each method"
                            : null;
            if (reason != null) {
                throw new UnsupportedOperationException("forCaller() cannot find the callers of the limiter " + policy
                        + " in a request. Use forKey(...) with all values, because " + reason + ".");
            }
        }

        private static String count(int number, String noun) {
            return number + " " + noun + (number == 1 ? "" : "s");
        }
    }
}
