package io.quarkiverse.ratelimit.runtime.entry.code;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Adds a checksum to the ids of reservations, so that nobody without the secret can change or invent one.
 *
 * @param secrets for checksums: the first one makes them, and each one is accepted; without secrets, ids need no checksum
 */
record IdChecksum(List<SecretKeySpec> secrets) {

    private static final char SEPARATOR = '.';

    String add(String id) {
        return secrets.isEmpty() ? id : id + SEPARATOR + of(id, secrets.get(0));
    }

    /** @throws IllegalArgumentException when no secret made the checksum */
    String remove(String id) {
        int end = id.lastIndexOf(SEPARATOR);
        String plain = end < 0 ? id : id.substring(0, end);
        byte[] checksum = id.substring(end + 1).getBytes(UTF_8);
        boolean accepted = secrets.isEmpty();
        for (SecretKeySpec secret : secrets) {
            accepted |= MessageDigest.isEqual(of(plain, secret).getBytes(UTF_8), checksum);
        }
        if (!accepted) {
            throw new IllegalArgumentException(
                    "The id of the reservation has no checksum of quarkus.rate-limit.reservation-secret."
                            + " It was changed, or made by an instance without the same secret. Give all instances the same one.");
        }
        return plain;
    }

    private static String of(String id, SecretKeySpec secret) {
        try {
            Mac mac = Mac.getInstance(secret.getAlgorithm());
            mac.init(secret);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal(id.getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java platform has " + secret.getAlgorithm(), e);
        }
    }
}
