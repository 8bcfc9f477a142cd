package io.quarkiverse.ratelimit.runtime.store.redis.topology;

import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.runtime.store.LimitChangesContract;
import io.quarkiverse.ratelimit.runtime.store.LimitStore;
import io.quarkiverse.ratelimit.runtime.store.redis.RedisStore;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.FrozenRedis;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.RealCluster;

/** The store in a cluster keeps what every store promises. */
@Tag("slow")
class ClusterSenderContractTest extends LimitChangesContract {

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
