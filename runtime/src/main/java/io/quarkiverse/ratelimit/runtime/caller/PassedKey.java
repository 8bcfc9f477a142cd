package io.quarkiverse.ratelimit.runtime.caller;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate.CallDetails;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;

/**
 * A caller's key that code passed to the limiter.
 *
 * @param values plain values as the policy normalizes them, in the order of the parts of the policy's key; empty for
 *        {@code key=global}
 * @param stored form that appears in Redis, logs and metrics
 * @param given the values as code has passed them
 */
public record PassedKey(List<String> values, String stored, List<String> given) {

    /**
     * Reads the keys that code passes to the limiters of one policy.
     *
     * @param key {@code null} for a policy without key parts
     * @param normalize changes each value
     * @param arguments how many key arguments limited methods append at most
     * @param passedOn how many values after those of the parts code passes at most; those after the arguments are only for
     *        overflows
     * @param addresses formats a value for the part {@code ip}
     */
    public record Reader(String policy, KeyTemplate key, List<Normalization> normalize, int arguments, int passedOn,
            AddressForm addresses) {

        private static final KeyPart.StoredForm WITHOUT_PART = KeyPart.StoredForm.plain("key");

        /** Creates a reader of keys without values that are only for overflows. */
        public Reader(String policy, KeyTemplate key, List<Normalization> normalize, int arguments, AddressForm addresses) {
            this(policy, key, normalize, arguments, arguments, addresses);
        }

        /** Returns the key of a limiter before code passes one; {@code null} if the policy needs one. */
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
            // long, as the number of arguments may have no bound
            int count = key == null ? values.length : (int) Math.min(values.length, (long) parts().size() + arguments);
            List<String> forms = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                forms.add(stored(i, normalized.get(i)));
            }
            return new PassedKey(normalized, String.join(KeyTemplate.SEPARATOR, forms), List.of(values));
        }

        /**
         * Reads the key of this policy as an overflow. Parts that the key of the first policy has, too, get the values that
         * code has passed for that one. Other parts come from the request, but code is no limited method. Without parts, the
         * key consists of the values after those of the first policy's parts.
         *
         * @param first key of the first policy, {@code null} for none
         * @param passed for the first policy
         * @param request being served, {@code null} if there is none
         * @return {@code null} if a value is missing
         */
        public PassedKey readAsOverflow(KeyTemplate first, PassedKey passed, CallDetails request, MissingKey missing) {
            List<KeyPart> firstParts = first == null ? List.of() : first.parts;
            if (key == null) {
                List<String> others = passed.given.subList(Math.min(firstParts.size(), passed.given.size()),
                        passed.given.size());
                return others.isEmpty() ? null : read(others.toArray(String[]::new));
            }
            List<String> values = new ArrayList<>(), forms = new ArrayList<>();
            for (int i = 0; i < key.parts.size(); i++) {
                KeyPart part = key.parts.get(i);
                boolean isKnown = request != null && part.kind() != KeyPart.Kind.METHOD;
                int position = firstParts.indexOf(part);
                if (position >= 0 && position < passed.given.size()) {
                    values.add(KeyPart.normalized(passed.given.get(position), normalize));
                    forms.add(stored(i, values.get(i)));
                } else {
                    values.add(isKnown ? part.value(request, normalize) : null);
                    forms.add(isKnown ? part.resolve(request, missing, normalize, key.warning) : null);
                }
            }
            return forms.contains(null) ? null
                    : new PassedKey(values.contains(null) ? List.of() : values, String.join(KeyTemplate.SEPARATOR, forms),
                            List.of());
        }

        private List<KeyPart> parts() {
            return key == null ? List.of() : key.parts;
        }

        private String stored(int index, String value) {
            boolean isAddress = index < parts().size() && parts().get(index).kind() == KeyPart.Kind.IP;
            return form(index).present(isAddress ? addresses.format(value) : value);
        }

        private KeyPart.StoredForm form(int index) {
            return index < parts().size() ? parts().get(index).stored()
                    : key == null && arguments == 0 ? WITHOUT_PART : KeyPart.ARGUMENT;
        }

        private void requireNumber(int values) {
            int parts = parts().size();
            if (values == 0 && key == null) {
                throw new IllegalArgumentException("Policy " + policy + " counts per caller. Give the key at least one value"
                        + (arguments == 0 ? "." : ", that of @RateLimitKey."));
            }
            boolean anyNumber = parts == 0 && arguments == 0;
            if (!anyNumber && (values < parts || values > (long) parts + passedOn)) {
                throw new IllegalArgumentException("The key has " + count(values, "value") + ", but the policy's key has "
                        + (parts == 0 ? "" : count(parts, "part") + ": " + key + (passedOn == 0 ? "" : ", and "))
                        + (passedOn == 0 ? "" : "up to " + passedOn + " of @RateLimitKey")
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

        /**
         * Reads a key like {@link #readPossible}. A value {@code sha256:HEX} is the digest of a value, so nobody needs a
         * secret to find its key.
         *
         * @return without values if there is a digest
         */
        public PassedKey readWithDigests(String... values) {
            PassedKey passed = readPossible(values);
            if (Stream.of(values).noneMatch(Digest::isWritten)) {
                return passed;
            }
            List<String> forms = new ArrayList<>();
            for (int i = 0; i < values.length; i++) {
                forms.add(
                        Digest.isWritten(values[i]) ? form(i).digest() + digest(values[i]) : stored(i, passed.values().get(i)));
            }
            return new PassedKey(List.of(), String.join(KeyTemplate.SEPARATOR, forms), List.of());
        }

        private static String digest(String value) {
            String digest = Digest.read(value);
            if (digest == null) {
                throw new IllegalArgumentException("\"" + value + "\" is no digest: sha256: must be followed by 64 hexadecimal"
                        + " digits. Copy it from a list of keys, or get it with: printf %s VALUE | sha256sum");
            }
            return digest;
        }

        /** Returns the values of a stored key as operators can give them; empty if one of them is missing. */
        public Optional<List<String>> given(String stored) {
            List<String> values = new ArrayList<>();
            String[] forms = stored.isEmpty() ? new String[0] : stored.split("\\|", -1);
            for (int i = 0; i < forms.length; i++) {
                values.add(form(i).given(forms[i]));
            }
            return values.contains(null) || values.size() < parts().size() ? Optional.empty() : Optional.of(values);
        }

        /** @throws IllegalArgumentException when the policy needs a key and code has passed none */
        public PassedKey required(PassedKey passed) {
            if (passed == null) {
                throw new IllegalArgumentException("Policy " + policy + " counts per caller"
                        + (key == null ? "" : " (key=" + key + ")") + ". Call forKey(...) first.");
            }
            return passed;
        }

        /** Returns whether code can find the key in a request: it has parts, and none of them is the limited method. */
        public boolean isInRequest() {
            return key != null && !key.has(KeyPart.Kind.METHOD);
        }

        /** @throws UnsupportedOperationException when the policy has no key, or counts each method on its own */
        public void requireInRequest() {
            if (!isInRequest()) {
                String reason = key == null ? "it has no key; or configure quarkus.rate-limit.policies." + policy + ".key"
                        : "its key " + key + " has a count for each method";
                throw new UnsupportedOperationException("forCaller() cannot find the callers of the limiter " + policy
                        + " in a request. Use forKey(...) with all values, because " + reason + ".");
            }
        }

        private static String count(int number, String noun) {
            return number + " " + noun + (number == 1 ? "" : "s");
        }
    }
}
