package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.OverrideStore;
import io.quarkiverse.ratelimit.runtime.store.RedisStoreException;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisOverrides;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.Caller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealCluster;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealNode;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RefusingProxy;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RefusingProxy.Call;

/** A cluster whose nodes refuse what a decision does not need decides, and is used again after an outage. */
@Tag("slow")
class ClusterSenderRefusedCommandsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster(0);

    private final Map<String, RefusingProxy> proxies = new TreeMap<>();
    private final CapturedLog log = new CapturedLog();

    @BeforeEach
    void refuse() {
        for (RealNode master : CLUSTER.masters()) {
            proxies.put(master.address(), new RefusingProxy(CLUSTER.vertx, master.port(),
                    call -> !call.isScriptWithKeys() && !List.of("HELLO", "CLUSTER").contains(call.name()),
                    "ERR Lua scripts without any input keys are not supported."));
        }
    }

    @AfterEach
    void close() {
        proxies.values().forEach(RefusingProxy::close);
        log.close();
    }

    @Test
    void decisionsAndAdministrationUseOnlyScriptsWithKeys() {
        try (RedisStore store = CLUSTER.newStore(nodes(), TIMEOUT)) {
            store.open().toCompletableFuture().join();
            List<Caller> callers = IntStream.range(0, 6)
                    .mapToObj(slot -> new Caller(store, RealCluster.nameOn(slot), 1_000_000))
                    .toList();
            assertThat(callers).allMatch(Caller::isAllowed);
            assertThat(log.warnings()).isZero();

            proxies.values().forEach(RefusingProxy::cut);
            await().until(() -> callers.stream().noneMatch(Caller::isAllowed));
            proxies.values().forEach(RefusingProxy::restore);
            await().until(() -> callers.stream().allMatch(Caller::isAllowed));

            OverrideStore overrides = new RedisOverrides(store, "test");
            // another node than that of the callers may be in use again later
            await().ignoreException(RedisStoreException.class).until(() -> {
                overrides.put("name", "text", Duration.ofDays(1)).await().atMost(TIMEOUT);
                return true;
            });
            assertThat(overrides.changedSince("", 0).await().atMost(TIMEOUT).texts()).containsKey("name");

            List<Call> calls = proxies.values().stream().flatMap(proxy -> proxy.calls().stream()).toList();
            assertThat(calls).extracting(Call::name).containsOnly("HELLO", "CLUSTER", "EVAL", "EVALSHA");
            assertThat(calls).filteredOn(Call::isScript).allMatch(Call::isScriptWithKeys);
        }
    }

    /** The nodes that the cluster names, each behind its proxy. */
    private RedisNodes nodes() {
        return new RedisNodes(() -> proxies.keySet().stream().map(RealNode::uri).toList(),
                node -> proxies.get(node.getAuthority()).newClient());
    }
}
