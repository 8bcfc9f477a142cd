package org.acme.beans;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import java.time.Duration;
import java.util.List;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitExceededException;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

/** Calls of bean methods are counted, and fail when they are denied. */
@QuarkusTest
class BeansTest extends FreshLimits {

    private static final Duration SOON = Duration.ofSeconds(5);

    @Inject
    Mailer mailer;

    @Inject
    Newsletter newsletter;

    @Inject
    Printer printer;

    @Inject
    Archive archive;

    @Test
    void thirdCallFails() {
        mailer.send("a");
        mailer.send("b");

        assertThatThrownBy(() -> mailer.send("c")).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void everySubscriptionIsCharged() {
        Uni<String> mail = mailer.sendLater("a");
        assertThat(redis.key().keys("*[^:]?")).isEmpty();

        mail.await().atMost(SOON);
        mail.await().atMost(SOON);

        assertThatThrownBy(() -> mail.await().atMost(SOON)).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void streamIsChargedPerSubscription() {
        for (int subscription = 1; subscription <= 2; subscription++) {
            assertThat(mailer.sendAll("a", "b", "c").collect().asList().await().atMost(SOON)).hasSize(3);
        }

        assertThatThrownBy(() -> mailer.sendAll("a").collect().asList().await().atMost(SOON))
                .isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void stageIsChargedWhenCalled() {
        for (int call = 1; call <= 2; call++) {
            assertThat(mailer.sendStaged("a").toCompletableFuture().join()).isEqualTo("sent a");
        }

        assertThatThrownBy(() -> mailer.sendStaged("a").toCompletableFuture().join())
                .hasCauseInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void denialCanBeCaught() {
        assertThat(List.of(newsletter.publish(), newsletter.publish())).containsOnly("sent news");

        assertThat(newsletter.publish()).matches("later: mails, in [1-9]\\d* s");
    }

    @Test
    void uncaughtDenialIsA429() {
        when().get("/mails").then().statusCode(200).header("RateLimit", nullValue());
        when().get("/mails").then().statusCode(200);

        when().get("/mails").then().statusCode(429)
                .header("Retry-After", Integer::parseInt, lessThanOrEqualTo(30))
                .header("RateLimit", startsWith("\"mails\";r=0;t=")).body("'violated-policies'", is(List.of("mails")));
    }

    @Test
    void plainMethodFailsOnAnEventLoop() {
        when().get("/mails/event-loop").then().statusCode(500);
    }

    @Test
    void callWithinTheBeanIsCounted() {
        mailer.sendByItself("a");
        mailer.sendByItself("b");

        assertThatThrownBy(() -> mailer.sendByItself("c")).isInstanceOf(RateLimitExceededException.class);
    }

    @Test
    void producedBeanIsNotCounted() {
        for (int call = 1; call <= 5; call++) {
            printer.print();
        }

        assertThat(redis.key().keys("*[^:]?")).isEmpty();
    }

    @Test
    void callThatSecurityDeniesIsNotCharged() {
        assertThatThrownBy(() -> archive.open()).isInstanceOf(UnauthorizedException.class);

        assertThat(redis.key().keys("*[^:]?")).isEmpty();
    }
}
