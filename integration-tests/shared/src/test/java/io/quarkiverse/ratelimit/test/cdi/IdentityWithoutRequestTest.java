package io.quarkiverse.ratelimit.test.cdi;

import static io.quarkiverse.ratelimit.test.cdi.LimitAssertions.assertAllows;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.inject.Inject;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitKeyResolver;
import io.quarkus.security.identity.CurrentIdentityAssociation;
import io.quarkus.security.runtime.QuarkusPrincipal;
import io.quarkus.security.runtime.QuarkusSecurityIdentity;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;

/** A call outside of an HTTP request, such as that of a message consumer, counts for its identity, if it has one. */
@QuarkusTest
class IdentityWithoutRequestTest {

    @Inject
    Consumer consumer;

    @Inject
    Service service;

    @Test
    void everyIdentityHasACountOfItsOwn() {
        assertAllows(2, () -> consumer.consume("alice", service::principal));
        assertAllows(2, () -> consumer.consume("bob", service::principal));
        assertAllows(0, () -> consumer.consume("bob", () -> service.principalUni().await().indefinitely()));
    }

    @Test
    void attributesOfAnIdentityAreItsClaims() {
        assertAllows(2, () -> consumer.consume("alice", service::claim));
        assertAllows(0, () -> consumer.consume("bob", service::claim));
    }

    @Test
    void beanMayReadTheIdentityOnAnotherThread() {
        assertAllows(2, () -> consumer.consume("alice", service::bean));
        assertAllows(2, () -> consumer.consume("bob", service::bean));
    }

    @Test
    void withoutIdentityItIsMissing() {
        assertAllows(0, service::principal);
        assertAllows(0, service::claim);
        assertAllows(0, service::bean);
        assertAllows(0, () -> consumer.consumeAnonymously(service::principal));
        assertAllows(0, () -> consumer.consumeAnonymously(service::claim));
    }

    @ApplicationScoped
    public static class Consumer {

        @Inject
        CurrentIdentityAssociation association;

        @ActivateRequestContext
        void consume(String user, Runnable work) {
            association.setIdentity(QuarkusSecurityIdentity.builder().setPrincipal(new QuarkusPrincipal(user))
                    .addAttribute("tenant", "acme").build());
            work.run();
        }

        @ActivateRequestContext
        void consumeAnonymously(Runnable work) {
            work.run();
        }
    }

    @ApplicationScoped
    public static class Service {

        @RateLimited("principal")
        void principal() {
        }

        @RateLimited("principal")
        Uni<String> principalUni() {
            return Uni.createFrom().item("done");
        }

        @RateLimited("claim")
        void claim() {
        }

        @RateLimited("named")
        void bean() {
        }
    }

    @ApplicationScoped
    @Identifier("named")
    public static class Named implements RateLimitKeyResolver {
        @Override
        public Uni<String> resolve(RateLimitCall call) {
            return Uni.createFrom().item("asked").emitOn(Infrastructure.getDefaultExecutor())
                    .chain(ignored -> call.identity())
                    .map(identity -> identity == null ? null : identity.getPrincipal().getName());
        }
    }
}
