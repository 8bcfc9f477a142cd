package io.quarkiverse.ratelimit.runtime.caller;

import java.security.Principal;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

import jakarta.json.JsonString;
import jakarta.json.JsonValue;

import org.eclipse.microprofile.jwt.JsonWebToken;

import io.quarkus.security.identity.SecurityIdentity;
import io.smallrye.mutiny.Uni;

/** A caller that can be authenticated. Authentication runs only on subscription to {@link #identity}. */
public class IdentifiedCaller implements Caller {

    /** Checks for the class, not for a capability: an application can use tokens without the JWT and OIDC extensions. */
    private static final boolean TOKENS = isPresent("org.eclipse.microprofile.jwt.JsonWebToken");

    private final Supplier<Uni<SecurityIdentity>> authentication;
    private volatile SecurityIdentity identity;

    public IdentifiedCaller(Supplier<Uni<SecurityIdentity>> authentication) {
        this.authentication = authentication;
    }

    @Override
    public Uni<SecurityIdentity> identity() {
        return Uni.createFrom().deferred(authentication::get).invoke(known -> identity = known);
    }

    @Override
    public String principal() {
        SecurityIdentity known = identity;
        return known == null || known.isAnonymous() ? null : known.getPrincipal().getName();
    }

    /** A claim of the caller's token. If there is none, the attribute of the identity with the same name. */
    @Override
    public String claim(String name) {
        SecurityIdentity known = identity;
        if (known == null || known.isAnonymous()) {
            return null;
        }
        String claim = TOKENS ? Token.claim(known.getPrincipal(), name) : null;
        return claim == null ? text(nested(known::getAttribute, name)) : claim;
    }

    @Override
    public boolean hasRole(String role) {
        return identity != null && identity.hasRole(role);
    }

    /** Claims may have URLs as names, so any slash of the path may be part of a name. */
    private static Object nested(Function<String, Object> claims, String path) {
        Object claim = claims.apply(path);
        for (int slash = path.lastIndexOf('/'); claim == null && slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
            if (claims.apply(path.substring(0, slash)) instanceof Map<?, ?> inner) {
                claim = nested(inner::get, path.substring(slash + 1));
            }
        }
        return claim;
    }

    private static String text(Object value) {
        return value == null ? null : value.toString();
    }

    private static boolean isPresent(String type) {
        try {
            Class.forName(type, false, IdentifiedCaller.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException absent) {
            return false;
        }
    }

    /** Isolates the types of MicroProfile JWT, which are optional. */
    private static final class Token {

        static String claim(Principal principal, String name) {
            Object claim = principal instanceof JsonWebToken token ? nested(token::getClaim, name) : null;
            return claim instanceof JsonString json ? json.getString() : claim == JsonValue.NULL ? null : text(claim);
        }
    }
}
