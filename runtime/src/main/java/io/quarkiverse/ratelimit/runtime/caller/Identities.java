package io.quarkiverse.ratelimit.runtime.caller;

import java.security.Principal;
import java.util.Map;
import java.util.function.Function;

import jakarta.json.JsonString;
import jakarta.json.JsonValue;

import org.eclipse.microprofile.jwt.JsonWebToken;

import io.quarkus.security.identity.SecurityIdentity;

/** Reads the caller's name and claims from an identity. Returns {@code null} if the identity is missing or anonymous. */
final class Identities {

    /** Checks for the class, not for a capability: an application can use tokens without the JWT and OIDC extensions. */
    private static final boolean TOKENS = isPresent("org.eclipse.microprofile.jwt.JsonWebToken");

    private Identities() {
    }

    static String principal(SecurityIdentity identity) {
        return isKnown(identity) ? identity.getPrincipal().getName() : null;
    }

    /**
     * Returns a claim of the caller's token. If there is none, returns the attribute of the identity with the same name. A name
     * that has slashes is also the path to a claim within claims.
     */
    static String claim(SecurityIdentity identity, String name) {
        if (!isKnown(identity)) {
            return null;
        }
        Object claim = TOKENS ? Token.claim(identity.getPrincipal(), name) : null;
        if (claim == null) {
            claim = nested(identity::getAttribute, name);
        }
        return claim == null ? null : claim.toString();
    }

    /** Returns a claim within claims. Claims may have URLs as names, so any slash of the path may be part of a name. */
    private static Object nested(Function<String, Object> claims, String path) {
        Object claim = claims.apply(path);
        for (int slash = path.lastIndexOf('/'); claim == null && slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
            if (claims.apply(path.substring(0, slash)) instanceof Map<?, ?> inner) {
                claim = nested(inner::get, path.substring(slash + 1));
            }
        }
        return claim;
    }

    private static boolean isKnown(SecurityIdentity identity) {
        return identity != null && !identity.isAnonymous();
    }

    private static boolean isPresent(String type) {
        try {
            Class.forName(type, false, Identities.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /** Isolates the types of MicroProfile JWT, which are optional. */
    private static final class Token {

        static Object claim(Principal principal, String name) {
            Object claim = principal instanceof JsonWebToken token ? nested(token::getClaim, name) : null;
            return claim instanceof JsonString json ? json.getString() : claim == JsonValue.NULL ? null : claim;
        }
    }
}
