package io.quarkiverse.ratelimit.runtime.platform.vertx;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.impl.ContextInternal;
import io.vertx.core.impl.VertxInternal;

/** Runs tasks and timers on one event loop of Vert.x, in a context of its own. Any thread may call its methods. */
public final class EventLoop {

    /** Delay of a timer, in nanoseconds, that shows that the event loop was blocked. */
    private static final long BLOCKED = TimeUnit.MILLISECONDS.toNanos(10);

    private final ContextInternal context;

    private EventLoop(VertxInternal vertx, io.netty.channel.EventLoop loop) {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        context = vertx.createEventLoopContext(loop, null, loader);
        context.contextData().put(EventLoop.class, this);
    }

    public static EventLoop currentOrNew(Vertx vertx) {
        VertxInternal owner = (VertxInternal) vertx;
        return new EventLoop(owner, owner.getOrCreateContext().nettyEventLoop());
    }

    /** Returns whether the current thread runs in the context of any event loop of the limiter. */
    public static boolean isAnyCurrent() {
        ContextInternal current = ContextInternal.current();
        return current != null && current.contextData().containsKey(EventLoop.class);
    }

    /**
     * Calls the handler with the value on the event loop or worker thread of the context, at once if the current thread already
     * belongs to it.
     */
    public static <T> void switchTo(Context context, T value, Handler<T> handler) {
        ((ContextInternal) context).emit(value, handler);
    }

    public boolean isCurrentThread() {
        return context.inThread();
    }

    /** Runs the task after the current one. */
    public void run(Runnable task) {
        context.runOnContext(ignored -> task.run());
    }

    /** Runs the task after this many milliseconds, at least one. */
    public void setTimer(long milliseconds, Runnable task) {
        context.setTimer(Math.max(1, milliseconds), ignored -> task.run());
    }

    /** Returns the same result, or a failure with {@code late} if there is none after this many milliseconds. */
    public <T> Future<T> within(long milliseconds, Future<T> result, Throwable late) {
        // a future that is composed here has its timer and its handlers on this loop
        return succeeded(null).compose(ignored -> result).timeout(milliseconds, TimeUnit.MILLISECONDS)
                .recover(failure -> Future.failedFuture(failure instanceof TimeoutException ? late : failure));
    }

    /**
     * Runs the task at this {@link System#nanoTime}. If the loop was blocked, postpones it by 1 ms, to first read what arrived.
     *
     * @return identifies the timer
     */
    public long runAt(long nanoTime, Runnable task) {
        long left = Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanoTime - System.nanoTime()));
        return context.setTimer(1 + left, ignored -> {
            if (System.nanoTime() - nanoTime > BLOCKED) {
                setTimer(1, task);
            } else {
                task.run();
            }
        });
    }

    public void cancelTimer(long timer) {
        context.owner().cancelTimer(timer);
    }

    public <T> Future<T> succeeded(T value) {
        return context.succeededFuture(value);
    }

    /** Holds one value for each event loop of a Vert.x instance. */
    public static final class Values<T> {

        private final Map<EventExecutor, T> values = new LinkedHashMap<>();

        public Values(Vertx vertx, Function<EventLoop, T> value) {
            VertxInternal owner = (VertxInternal) vertx;
            for (EventExecutor loop : owner.nettyEventLoopGroup()) {
                values.put(loop, value.apply(new EventLoop(owner, (io.netty.channel.EventLoop) loop)));
            }
        }

        /** Returns the value of the current context's event loop; {@code null} without a context of this Vert.x instance. */
        public T current() {
            ContextInternal current = ContextInternal.current();
            return current == null ? null : values.get(current.nettyEventLoop());
        }

        /** Returns the values of all event loops, always in the same order. */
        public Collection<T> all() {
            return values.values();
        }
    }
}
