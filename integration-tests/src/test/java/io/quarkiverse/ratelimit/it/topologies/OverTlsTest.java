package io.quarkiverse.ratelimit.it.topologies;

import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import jakarta.inject.Inject;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logmanager.ExtLogRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimitDecision.Source;
import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.it.topologies.fixtures.Shown;
import io.quarkiverse.ratelimit.it.topologies.fixtures.StartedTlsRedis;
import io.quarkus.redis.client.RedisHostsProvider;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.smallrye.common.annotation.Identifier;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.Request;

/** The limiter has its own Redis, over TLS, whose address and password may change at run time. */
@Tag("slow")
@QuarkusTest
@TestProfile(OverTlsTest.OverTls.class)
class OverTlsTest {

    @Inject
    RateLimiters limiters;

    @Inject
    Vertx vertx;

    @Inject
    @Identifier("limits")
    FoundMethod found;

    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final int port = said("test.tls-port");
    private final int strangersPort = said("test.strangers-tls-port");
    private final int plainPort = said("test.plain-port");
    private final Warnings log = new Warnings();
    private Redis control;

    @BeforeEach
    void open() {
        control = Redis.createClient(vertx, "redis://127.0.0.1:" + plainPort);
        Logger.getLogger("io.quarkiverse.ratelimit").addHandler(log);
    }

    @AfterEach
    void close() {
        Logger.getLogger("io.quarkiverse.ratelimit").removeHandler(log);
        control.close();
    }

    @Test
    void newPasswordIsUsedForTheNextConnection() {
        countAt("rediss://limiter:secret@127.0.0.1:" + port, "secret");

        setPassword("changed");
        await().atMost(LONGEST).until(() -> source() == Source.FALLBACK);
        found.address = "rediss://limiter:changed@127.0.0.1:" + port;

        await().atMost(LONGEST).until(() -> source() == Source.REDIS);
    }

    @Test
    void serverOfAnotherAuthorityIsNotTrusted() {
        await().atMost(LONGEST).until(() -> warningOf("rediss://limiter:secret@127.0.0.1:" + strangersPort)
                .contains("unable to find valid certification path"));
    }

    @Test
    void serverOfAnotherNameIsNotTrusted() {
        await().atMost(LONGEST).until(() -> warningOf("rediss://limiter:secret@localhost:" + port)
                .contains("No name matching localhost found"));
    }

    /** The warning of the limiter when its Redis moves to this address. */
    private String warningOf(String address) {
        countAt("rediss://limiter:secret@127.0.0.1:" + port, "secret");
        log.entries.clear();
        found.address = address;
        send(Command.CLIENT, "KILL", "USER", "limiter");
        await().atMost(LONGEST).until(() -> source() == Source.FALLBACK);
        return String.join("\n", log.entries);
    }

    /** Counts at this address until lost connections are replaced at once. */
    private void countAt(String address, String password) {
        setPassword(password);
        found.address = address;
        await().during(2, TimeUnit.SECONDS).atMost(LONGEST).until(() -> source() == Source.REDIS);
    }

    private Source source() {
        return limiters.get("five-for-each").forKey("alice").peek().source();
    }

    private void setPassword(String password) {
        send(Command.ACL, "SETUSER", "limiter", "reset", "on", ">" + password, "~rate-limit:*", "+@all");
        send(Command.CLIENT, "KILL", "USER", "limiter");
    }

    private void send(Command command, String... arguments) {
        Request request = Request.cmd(command);
        List.of(arguments).forEach(request::arg);
        control.send(request).toCompletionStage().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    private static int said(String port) {
        return ConfigProvider.getConfig().getValue(port, Integer.class);
    }

    @Singleton
    @Identifier("limits")
    public static class FoundMethod implements RedisHostsProvider {

        private volatile String address = "rediss://limiter:secret@127.0.0.1:1";

        @Override
        public Set<URI> getHosts() {
            return Set.of(URI.create(address));
        }
    }

    public static class OverTls extends Shown {

        public OverTls() {
            super("redis-own.properties", "quarkus.redis.limits.hosts");
        }

        @Override
        public Map<String, String> getConfigOverrides() {
            Map<String, String> properties = new HashMap<>(super.getConfigOverrides());
            properties.put("quarkus.redis.limits.hosts-provider-name", "limits");
            new Tls().getConfigOverrides().forEach((name, value) -> properties.put(
                    name.replace("quarkus.redis.", "quarkus.redis.limits."), value));
            return properties;
        }

        @Override
        public List<TestResourceEntry> testResources() {
            return List.of(new TestResourceEntry(StartedTlsRedis.class));
        }
    }

    private static final class Tls extends Shown {

        private Tls() {
            super("redis-tls.properties", "quarkus.redis.hosts", "quarkus.tls.redis.trust-store.pem.certs",
                    "quarkus.tls.redis.key-store.pem.limiter.cert", "quarkus.tls.redis.key-store.pem.limiter.key");
        }
    }

    /** Collects the warnings of the limiter. */
    private static final class Warnings extends Handler {

        private final List<String> entries = new CopyOnWriteArrayList<>();

        @Override
        public void publish(LogRecord entry) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                entries.add(entry instanceof ExtLogRecord record ? record.getFormattedMessage() : entry.getMessage());
            }
        }

        @Override
        public void flush() {
        }

        @Override
        public void close() {
        }
    }
}
