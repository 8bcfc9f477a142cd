package io.quarkiverse.ratelimit.runtime.caller;

import java.security.Principal;

import jakarta.json.JsonString;

import org.eclipse.microprofile.jwt.JsonWebToken;

import io.quarkus.security.identity.SecurityIdentity;

/** Reads what an identity says of a caller; an anonymous one, or none, says nothing. */
final class Identities {

    /** No capability says so: an application can use tokens without the JWT and OIDC extensions of Quarkus. */
    private static final boolean TOKENS = isPresent("org.eclipse.microprofile.jwt.JsonWebToken");

    private Identities() {
    }

    static String principal(SecurityIdentity identity) {
        return isKnown(identity) ? identity.getPrincipal().getName() : null;
    }

    /** A claim of the caller's token, or where it has none an attribute that the application gave the identity. */
    static String claim(SecurityIdentity identity, String name) {
        if (!isKnown(identity)) {
            return null;
        }
        String claim = TOKENS ? Token.claim(identity.getPrincipal(), name) : null;
        return claim == null ? text(identity.getAttribute(name)) : claim;
    }

    private static boolean isKnown(SecurityIdentity identity) {
        return identity != null && !identity.isAnonymous();
    }

    private static String text(Object value) {
        return value == null ? null : value.toString();
    }

    private static boolean isPresent(String type) {
        try {
            Class.forName(type, false, Identities.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /** Keeps types of MicroProfile JWT apart, which not every application has. */
    private static final class Token {

        static String claim(Principal principal, String name) {
            Object claim = principal instanceof JsonWebToken token ? token.getClaim(name) : null;
            return claim instanceof JsonString json ? json.getString() : text(claim);
        }
    }
}
