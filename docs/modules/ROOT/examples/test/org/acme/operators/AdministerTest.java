package org.acme.operators;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

import jakarta.inject.Inject;

import org.acme.ExampleProfile;
import org.acme.FreshLimits;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.BlockedKey;
import io.quarkiverse.ratelimit.DeniedKey;
import io.quarkiverse.ratelimit.RateLimitDecision;
import io.quarkiverse.ratelimit.RateLimitDecision.DenialReason;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;

/** The commands and the code of the page do what it says. */
@QuarkusTest
@TestProfile(ExampleProfile.InProduction.class)
class AdministerTest extends FreshLimits {

    private static final Path COMMANDS = Path.of("modules/ROOT/examples/administer.sh");

    @TestHTTPResource("/q/rate-limit")
    URL admin;

    @Inject
    Operator operator;

    @Inject
    RateLimiters limiters;

    @BeforeEach
    void needsCurl() {
        assumeTrue(Arrays.stream(System.getenv("PATH").split(File.pathSeparator)).map(folder -> new File(folder, "curl"))
                .anyMatch(File::canExecute), "SKIPPED: needs curl on the PATH");
    }

    @Test
    void deniedCustomerIsLookedUpAndReset() throws Exception {
        partner(200);
        partner(200);
        partner(429);

        assertThat(run("look-up")).contains("\"allowed\":false", "\"remaining\":0", "\"retryAfter\":");
        assertThat(operator.state("acme").allowed()).isFalse();
        run("reset");
        partner(200);
        operator.startAgain("acme");
        assertThat(operator.state("acme")).returns(2L, RateLimitDecision::remaining);
    }

    @Test
    void limitsAreRaisedAndLoweredAgain() throws Exception {
        run("raise-policy");
        assertThat(operator.state("acme").permits()).isEqualTo(20);
        run("raise-key");
        assertThat(operator.state("acme").permits()).isEqualTo(100);
        run("as-configured");
        assertThat(operator.state("acme").permits()).isEqualTo(2);
    }

    @Test
    void keysDeniedMostAreListed() throws Exception {
        for (int call = 1; call <= 5; call++) {
            given().get("/quotes");
        }

        assertThat(run("most-denied")).contains("\"key\":\"ip=127.0.0.1\",\"denials\":2,\"values\":[\"127.0.0.1\"]");
        assertThat(operator.attackers()).extracting(DeniedKey::key).containsExactly("ip=127.0.0.1");
    }

    @Test
    void attackerIsBlockedUntilTheAttackIsOver() throws Exception {
        run("block");
        operator.block("203.0.113.8");

        assertThat(address("203.0.113.7").denialReason()).contains(DenialReason.BLOCKED);
        assertThat(run("blocked")).contains("\"values\":[\"203.0.113.7\"]", "\"values\":[\"203.0.113.8\"]");
        assertThat(operator.blocked()).extracting(BlockedKey::key).containsExactlyInAnyOrder("ip=203.0.113.7",
                "ip=203.0.113.8");
        assertThat(address("203.0.113.8").retryAfter()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
        assertThat(address("203.0.113.9")).returns(3L, RateLimitDecision::permits).returns(true, RateLimitDecision::allowed);
        run("lower-policy");
        assertThat(address("203.0.113.9")).returns(1L, RateLimitDecision::permits);
        run("attack-over");
        assertThat(address("203.0.113.7")).returns(3L, RateLimitDecision::remaining);
        assertThat(address("203.0.113.9")).returns(3L, RateLimitDecision::permits);
    }

    @Test
    void blockedCustomerIsUnblocked() throws Exception {
        limiters.get("partners").forKey("acme").block(Duration.ofHours(1));
        assertThat(run("look-up")).contains("\"denialReason\":\"blocked\"");
        partner(429);

        run("unblock");

        partner(200);
        limiters.get("partners").forKey("acme").block(Duration.ofHours(1));
        operator.unblock("acme");
        partner(200);
    }

    private RateLimitDecision address(String address) {
        return limiters.get("quotes").forKey(address).peek();
    }

    private static void partner(int status) {
        given().header("X-Partner", "acme").get("/partners").then().statusCode(status);
    }

    /** Runs the commands between the tags of the file, and returns what they print. */
    private String run(String tag) throws IOException, InterruptedException {
        String commands = Files.readString(COMMANDS).split("# (tag|end)::" + tag + "\\[]")[1];
        ProcessBuilder shell = new ProcessBuilder("sh", "-e", "-c", commands).redirectError(ProcessBuilder.Redirect.INHERIT);
        shell.environment().put("ADMIN", admin.toString());
        shell.environment().put("OPERATOR", "olga:secret");
        Process running = shell.start();
        String printed = new String(running.getInputStream().readAllBytes());
        assertThat(running.waitFor()).as(commands).isZero();
        return printed;
    }
}
