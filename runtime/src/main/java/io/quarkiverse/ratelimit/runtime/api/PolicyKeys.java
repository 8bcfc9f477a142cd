package io.quarkiverse.ratelimit.runtime.api;

import java.util.List;

import io.quarkiverse.ratelimit.runtime.caller.GivenKey;
import io.quarkiverse.ratelimit.runtime.caller.KeyTemplate;
import io.quarkiverse.ratelimit.runtime.caller.PassedKey;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.policy.Policy;

/**
 * Composes the keys that code passes to the limiters of one policy.
 *
 * @param keyArguments how many arguments limited methods append to the policy's key
 */
record PolicyKeys(Policy policy, int keyArguments, AddressForm addresses) {

    /** @throws IllegalArgumentException when a value is null, or their number does not match the policy's key */
    PassedKey of(List<String> given) {
        Arguments.required("the key of policy " + policy.name(), given)
                .forEach(value -> Arguments.required("each value of the key of policy " + policy.name(), value));
        List<String> values = List.copyOf(given);
        if (policy.key() == null && keyArguments == 0) {
            if (values.isEmpty()) {
                throw new IllegalArgumentException(
                        "Policy " + policy.name() + " has no key. Give forKey(...) at least one value.");
            }
            return new PassedKey(values, GivenKey.of(values));
        }
        KeyTemplate template = policy.key() == null ? KeyTemplate.GLOBAL : policy.key();
        return new PassedKey(values, GivenKey.of(template, values, keyArguments, addresses));
    }

    /** @throws IllegalArgumentException when also no caller can have this key */
    PassedKey ofOperator(List<String> given) {
        PassedKey key = of(given);
        if (policy.key() != null) {
            GivenKey.requirePossible(policy.key(), key.values(), addresses);
        }
        return key;
    }

    /** The key of a limiter before code passes one; {@code null} where the policy needs one. */
    PassedKey initial() {
        return policy.key() == KeyTemplate.GLOBAL ? of(List.of()) : null;
    }

    /** @throws IllegalArgumentException when the policy needs a key and code has given none */
    PassedKey required(PassedKey key) {
        if (key == null) {
            throw new IllegalArgumentException("Policy " + policy.name() + " counts per caller"
                    + (policy.key() == null ? "" : " (key=" + policy.key() + ")") + ". Call forKey(...) first.");
        }
        return key;
    }
}
