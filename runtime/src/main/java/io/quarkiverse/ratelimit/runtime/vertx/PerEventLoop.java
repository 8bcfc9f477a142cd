package io.quarkiverse.ratelimit.runtime.vertx;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;

/** Holds one value for each event loop of a Vert.x instance. */
public final class PerEventLoop<T> {

    private final Map<EventExecutor, T> values = new LinkedHashMap<>();

    public PerEventLoop(Vertx vertx, Function<EventLoop, T> value) {
        VertxInternal owner = (VertxInternal) vertx;
        for (EventExecutor loop : owner.getEventLoopGroup()) {
            values.put(loop, value.apply(new EventLoop(owner.createEventLoopContext((io.netty.channel.EventLoop) loop, null,
                    Thread.currentThread().getContextClassLoader()))));
        }
    }

    /** The value of the current context's event loop; {@code null} without a context of this Vert.x instance. */
    public T current() {
        ContextInternal current = ContextInternal.current();
        return current == null ? null : values.get(current.nettyEventLoop());
    }

    /** The values of all event loops, always in the same order. */
    public Collection<T> all() {
        return Collections.unmodifiableCollection(values.values());
    }
}
