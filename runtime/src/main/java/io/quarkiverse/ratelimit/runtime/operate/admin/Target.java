package io.quarkiverse.ratelimit.runtime.operate.admin;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Holds what the path of a request names.
 *
 * @param policy {@code null} for {@link Kind#POLICIES} and {@link Kind#MOST_DENIED_OF_ALL}
 * @param key plain values of a key; empty where no key is named
 */
public record Target(Kind kind, String policy, List<String> key) {

    /** The kinds, each with the methods that it supports, and what changes do, for the log. */
    public enum Kind {
        POLICIES(Map.of("GET", "", "HEAD", "")),
        MOST_DENIED_OF_ALL(Map.of("GET", "", "HEAD", "")),
        POLICY(Map.of("GET", "", "HEAD", "")),
        MOST_DENIED(Map.of("GET", "", "HEAD", "")),
        BLOCKED(Map.of("GET", "", "HEAD", "", "DELETE", "unblocked all keys")),
        POLICY_OVERRIDE(Map.of("PUT", "overrode the limits", "DELETE", "removed the override")),
        POLICY_SHADOW(Map.of("PUT", "began shadow mode", "DELETE", "ended shadow mode")),
        KEY(Map.of("GET", "", "HEAD", "", "DELETE", "reset")),
        KEY_OVERRIDE(Map.of("PUT", "overrode the limits of", "DELETE", "removed the override of")),
        KEY_BLOCK(Map.of("PUT", "blocked", "DELETE", "unblocked"));

        final Map<String, String> methods;

        Kind(Map<String, String> methods) {
            this.methods = methods;
        }

        /** Returns whether this means one key, also that of all callers. */
        public boolean isOfKey() {
            return this == KEY || this == KEY_OVERRIDE || this == KEY_BLOCK;
        }
    }

    private static final Problem UNKNOWN = new Problem(404, "Nothing has this path. Paths begin with policies or most-denied;"
            + " the documentation lists them.");

    /**
     * Parses what follows the root of the administration. Slashes that are escaped belong to a value. {@code override} and
     * {@code block} at the end are operations, unless a letter is escaped.
     *
     * @param path still escaped, without a slash at the beginning
     */
    static Target of(String path) {
        List<String> segments = List.of(path.split("/", -1));
        int size = segments.size();
        if (path.equals("most-denied")) {
            return new Target(Kind.MOST_DENIED_OF_ALL, null, List.of());
        }
        if (!segments.get(0).equals("policies")) {
            throw UNKNOWN;
        }
        String policy = size == 1 ? null : decoded(segments.get(1));
        String part = size < 3 ? "" : segments.get(2);
        if (part.equals("keys")) {
            return ofKey(policy, segments.subList(3, size));
        }
        Kind kind = size == 1 ? Kind.POLICIES : size == 2 ? Kind.POLICY : switch (size == 3 ? part : "") {
            case "override" -> Kind.POLICY_OVERRIDE;
            case "shadow" -> Kind.POLICY_SHADOW;
            case "most-denied" -> Kind.MOST_DENIED;
            case "blocked" -> Kind.BLOCKED;
            default -> throw UNKNOWN;
        };
        return new Target(kind, policy, List.of());
    }

    private static Target ofKey(String policy, List<String> segments) {
        Kind kind = switch (segments.isEmpty() ? "" : segments.get(segments.size() - 1)) {
            case "override" -> Kind.KEY_OVERRIDE;
            case "block" -> Kind.KEY_BLOCK;
            default -> Kind.KEY;
        };
        return new Target(kind, policy, decoded(segments.subList(0, segments.size() - (kind == Kind.KEY ? 0 : 1))));
    }

    /** @param key the values of a key, still escaped, with slashes between them; empty for none */
    public static Target of(Kind kind, String policy, String key) {
        return new Target(kind, policy, key.isEmpty() ? List.of() : decoded(List.of(key.split("/", -1))));
    }

    private static List<String> decoded(List<String> segments) {
        if (segments.contains("")) {
            throw new Problem(400, "A value of the key is empty. Write keys/<value>, with a slash between values only.");
        }
        return segments.stream().map(Target::decoded).toList();
    }

    private static String decoded(String segment) {
        try {
            return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            throw new Problem(400, "\"" + segment + "\" in the path is not escaped correctly. Write % as %25 and / as %2F.");
        }
    }

    String[] values() {
        return key.toArray(String[]::new);
    }

    /** Returns whether the method acquires permits for the key. */
    boolean isAcquired(String method) {
        return kind == Kind.KEY && method.equals("POST");
    }
}
