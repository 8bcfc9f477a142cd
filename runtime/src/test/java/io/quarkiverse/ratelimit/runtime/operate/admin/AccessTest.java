package io.quarkiverse.ratelimit.runtime.operate.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.security.Principal;
import java.util.Set;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkus.security.UnauthorizedException;
import io.quarkus.security.identity.SecurityIdentity;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;

/** The roles that have access. */
class AccessTest {

    @ParameterizedTest
    @CsvSource({ "**, guest", "**, ''", "operator, operator", "'support,operator', support", "'support,**', guest" })
    void callerHasAccess(String roles, String role) {
        assertThat(failure(roles, user(role))).isNull();
    }

    @ParameterizedTest
    @CsvSource({ "operator, guest", "operator, ''", "*, guest", "***, guest" })
    void callerHasNoAccess(String roles, String role) {
        assertThat(failure(roles, user(role))).isInstanceOf(Problem.class).hasMessageContaining("has none of the roles");
    }

    @ParameterizedTest
    @CsvSource({ "**", "operator" })
    void anonymousCallersMustAuthenticate(String roles) {
        assertThat(failure(roles, QuarkusSecurityIdentity.builder().setAnonymous(true).build()))
                .isInstanceOf(UnauthorizedException.class);
    }

    private static Throwable failure(String roles, SecurityIdentity caller) {
        return catchThrowable(() -> new Access(Set.of(roles.split(",")), false, Set.of()).require(caller));
    }

    private static SecurityIdentity user(String role) {
        Principal principal = () -> "user";
        var user = QuarkusSecurityIdentity.builder().setPrincipal(principal);
        return (role.isEmpty() ? user : user.addRole(role)).build();
    }
}
