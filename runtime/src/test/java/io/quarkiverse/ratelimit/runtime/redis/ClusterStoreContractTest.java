package io.quarkiverse.ratelimit.runtime.redis;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.redis.topology.ClusterSender;
import io.quarkiverse.ratelimit.runtime.store.LimitChangesContract;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;

/** The store in a cluster keeps what every store promises. */
@Tag("slow")
class ClusterStoreContractTest extends LimitChangesContract {

    @RegisterExtension
    static final RealCluster CLUSTER = new RealCluster(0);

    private final RedisStore store = ClusterSender.newStore(CLUSTER.vertx, CLUSTER.seeds(), Duration.ofSeconds(5),
            FrozenRedis.script(clock::get));

    @Override
    protected LimitStore store() {
        return store;
    }

    @AfterEach
    void close() {
        store.close();
    }
}
