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
import io.vertx.core.json.JsonObject;

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

        assertThat(normalized(run("look-up"))).isEqualTo(printed("look-up.json"));
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

        assertThat(normalized(run("most-denied").replace("127.0.0.1", "203.0.113.7"))).isEqualTo(printed("most-denied.json"));
        assertThat(run("most-denied-of-all")).contains("\"policy\":\"quotes\",\"key\":\"ip=127.0.0.1\"");
        assertThat(operator.attackers()).extracting(DeniedKey::key).containsExactly("ip=127.0.0.1");
    }

    @Test
    void policyDeniesNobodyUntilItIsEnforced() throws Exception {
        address("203.0.113.7", 3);
        operator.block("203.0.113.8");

        run("shadow");
        assertThat(address("203.0.113.7", 1)).returns(true, RateLimitDecision::allowed);
        assertThat(operator.blocked()).isEmpty();
        run("enforce");
        assertThat(address("203.0.113.7", 1)).returns(false, RateLimitDecision::allowed);
        operator.denyNobody();
        assertThat(address("203.0.113.7", 1)).returns(true, RateLimitDecision::allowed);
        operator.enforce();
        assertThat(address("203.0.113.7", 1)).returns(false, RateLimitDecision::allowed);
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

    @Test
    void customerThatIsUnblockedHasItsPermitsOnlyAfterAReset() throws Exception {
        partner(200);
        partner(200);
        limiters.get("partners").forKey("acme").block(Duration.ofHours(1));

        run("unblock");
        partner(429);
        run("reset");

        partner(200);
    }

    private RateLimitDecision address(String address, long cost) {
        return limiters.get("quotes").forKey(address).tryAcquire(cost);
    }

    private RateLimitDecision address(String address) {
        return limiters.get("quotes").forKey(address).peek();
    }

    private static void partner(int status) {
        given().header("X-Partner", "acme").get("/partners").then().statusCode(status);
    }

    /** The JSON of a file that the page shows. */
    private static JsonObject printed(String file) throws IOException {
        return normalized(Files.readString(Path.of("modules/ROOT/examples/responses", file)));
    }

    /** Without what differs from call to call: waits, which have decimals; with short digests. */
    private static JsonObject normalized(String json) {
        return new JsonObject(json.replaceAll("\\d+\\.\\d+(?=[,}\\s])", "0")
                .replaceAll("\\b(\\p{XDigit}{4})\\p{XDigit}{56}(\\p{XDigit}{4})\\b", "$1...$2"));
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
