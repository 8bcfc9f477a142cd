package io.quarkiverse.ratelimit.runtime.platform.mutiny;

import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import io.smallrye.mutiny.Context;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.helpers.UniCallbackSubscriber;
import io.smallrye.mutiny.operators.uni.UniEmitOn;
import io.smallrye.mutiny.operators.uni.UniOnItemOrFailureConsume;
import io.smallrye.mutiny.operators.uni.UniOnItemOrFailureMap;
import io.smallrye.mutiny.operators.uni.UniOnItemTransform;
import io.smallrye.mutiny.operators.uni.UniOnItemTransformToUni;
import io.smallrye.mutiny.operators.uni.builders.UniCreateFromDeferredSupplier;
import io.smallrye.mutiny.operators.uni.builders.UniCreateFromItemSupplier;
import io.smallrye.mutiny.operators.uni.builders.UniCreateFromKnownItem;
import io.smallrye.mutiny.operators.uni.builders.UniCreateWithEmitter;
import io.smallrye.mutiny.subscription.UniEmitter;

/**
 * Provides Mutiny's operators without context propagation, for the path of every call. With Quarkus, the usual
 * operators carry the caller's contexts to each callback. That costs more than the rest of a decision, and these
 * callbacks do not use the contexts.
 */
public final class PlainUni {

    private PlainUni() {
    }

    public static <T> Uni<T> item(T item) {
        return new UniCreateFromKnownItem<>(item);
    }

    public static <T> Uni<T> item(Supplier<? extends T> supplier) {
        return new UniCreateFromItemSupplier<>(supplier);
    }

    public static <T> Uni<T> deferred(Supplier<Uni<? extends T>> supplier) {
        return new UniCreateFromDeferredSupplier<>(supplier);
    }

    public static <T> Uni<T> emitter(Consumer<UniEmitter<? super T>> subscribed) {
        return new UniCreateWithEmitter<>(subscribed);
    }

    public static <T, R> Uni<R> map(Uni<T> uni, Function<T, R> change) {
        return new UniOnItemTransform<>(uni, change);
    }

    public static <T, R> Uni<R> chain(Uni<T> uni, Function<? super T, Uni<? extends R>> next) {
        return new UniOnItemTransformToUni<>(uni, next);
    }

    public static <T, R> Uni<R> mapItemOrFailure(Uni<T> uni, BiFunction<? super T, Throwable, ? extends R> change) {
        return new UniOnItemOrFailureMap<>(uni, change);
    }

    public static <T> Uni<T> invokeItemOrFailure(Uni<T> uni, BiConsumer<T, Throwable> callback) {
        return new UniOnItemOrFailureConsume<>(uni, callback);
    }

    public static <T> Uni<T> emitOn(Uni<T> uni, Executor executor) {
        return new UniEmitOn<>(uni, executor);
    }

    /** Subscribes like {@code uni.subscribe().with(...)}. */
    public static <T> void subscribe(Uni<T> uni, Consumer<T> item, Consumer<Throwable> failure) {
        uni.subscribe().withSubscriber(new UniCallbackSubscriber<T>(item, failure, Context.empty()));
    }
}
