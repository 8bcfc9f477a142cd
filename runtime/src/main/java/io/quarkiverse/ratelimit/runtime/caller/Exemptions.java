package io.quarkiverse.ratelimit.runtime.caller;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.quarkiverse.ratelimit.runtime.caller.address.IpAddress;
import io.smallrye.common.net.CidrAddress;

/**
 * Decides which callers a policy does not limit: by role, address or key.
 *
 * @param keyBlocks addresses that are exempt as values of {@code key=ip}
 * @param keyDigests SHA-256 of values of the key, in hexadecimal and lower case. The values may be secrets.
 */
public record Exemptions(List<String> roles, List<CidrAddress> blocks, List<CidrAddress> keyBlocks,
        Set<String> keyDigests) {

    public static final Exemptions NONE = new Exemptions(List.of(), List.of(), List.of(), Set.of());

    /**
     * Returns the digests of values of the key.
     *
     * @param normalize changes each value that is not a digest, as those of callers
     * @throws IllegalArgumentException if a digest is no SHA-256; the message has the remedy
     */
    public static Set<String> keyDigests(List<String> values, List<Normalization> normalize) {
        Set<String> digests = new HashSet<>();
        for (String value : values) {
            digests.add(Digest.isWritten(value) ? digest(value) : Digest.of(KeyPart.normalized(value, normalize)));
        }
        return digests;
    }

    private static String digest(String value) {
        String digest = Digest.read(value);
        if (digest == null) {
            throw new IllegalArgumentException("has \"" + value + "\", but sha256: must be followed by the 64 hexadecimal"
                    + " digits of a SHA-256. Get them with: printf %s VALUE | sha256sum");
        }
        return digest;
    }

    public boolean areNone() {
        return roles.isEmpty() && blocks.isEmpty() && keyBlocks.isEmpty() && keyDigests.isEmpty();
    }

    public boolean needsIdentity() {
        return !roles.isEmpty();
    }

    /** Returns whether the policy does not limit this caller, whatever its key is. */
    public boolean apply(Caller caller) {
        return roles.stream().anyMatch(caller::hasRole) || !blocks.isEmpty() && caller.isFrom(blocks)
                || !keyBlocks.isEmpty() && caller.isFrom(keyBlocks);
    }

    /** @param value of the key; {@code null} or empty if it is absent */
    public boolean containKey(String value) {
        return !keyDigests.isEmpty() && value != null && !value.isEmpty() && keyDigests.contains(Digest.of(value));
    }

    /** @param address of {@code key=ip}: an address, or the prefix of one */
    public boolean containAddress(String address) {
        CidrAddress key = keyBlocks.isEmpty() ? null : IpAddress.block(address);
        return key != null && keyBlocks.stream().anyMatch(block -> block.matches(key.getNetworkAddress()));
    }
}
