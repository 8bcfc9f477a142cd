package io.quarkiverse.ratelimit.runtime.caller;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import io.smallrye.common.net.CidrAddress;

/**
 * Decides which callers a policy does not limit: by role, address or key.
 *
 * @param keyDigests the SHA-256 of values of the key, in hexadecimal and lower case. The values may be secrets.
 */
public record Exemptions(List<String> roles, List<CidrAddress> blocks, Set<String> keyDigests) {

    public static final Exemptions NONE = new Exemptions(List.of(), List.of(), Set.of());

    private static final String DIGEST = "sha256:";
    private static final Pattern SHA_256 = Pattern.compile("[0-9a-fA-F]{64}");

    /**
     * The digests of values of the key.
     *
     * @param normalize changes each value that is not a digest, as those of callers
     * @throws IllegalArgumentException if a digest is no SHA-256; the message has the remedy
     */
    public static Set<String> keyDigests(List<String> values, List<Normalization> normalize) {
        Set<String> digests = new HashSet<>();
        for (String value : values) {
            digests.add(value.startsWith(DIGEST) ? digest(value) : Digest.of(KeyPart.normalized(value, normalize)));
        }
        return digests;
    }

    private static String digest(String value) {
        String digest = value.substring(DIGEST.length());
        if (!SHA_256.matcher(digest).matches()) {
            throw new IllegalArgumentException("has \"" + value + "\", but sha256: must be followed by the 64 hexadecimal"
                    + " digits of a SHA-256. Get them with: printf %s VALUE | sha256sum");
        }
        return digest.toLowerCase(Locale.ROOT);
    }

    public boolean areNone() {
        return roles.isEmpty() && blocks.isEmpty() && keyDigests.isEmpty();
    }

    public boolean needsIdentity() {
        return !roles.isEmpty();
    }

    /** Whether the policy does not limit this caller, whatever its key is. */
    public boolean apply(Caller caller) {
        for (String role : roles) {
            if (caller.hasRole(role)) {
                return true;
            }
        }
        return !blocks.isEmpty() && caller.isFrom(blocks);
    }

    /** @param value of the key; {@code null} or empty if it is absent */
    public boolean containKey(String value) {
        return !keyDigests.isEmpty() && value != null && !value.isEmpty() && keyDigests.contains(Digest.of(value));
    }
}
