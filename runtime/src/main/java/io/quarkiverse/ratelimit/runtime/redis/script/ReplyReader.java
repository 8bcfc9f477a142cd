package io.quarkiverse.ratelimit.runtime.redis.script;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.algorithm.Operation;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/** Reads the reply of the script, one request after the other. The header of {@code decide.lua} describes it. */
public final class ReplyReader {

    /** In place of the numbers of a request that failed. */
    private static final double FAILED = -1;

    private final Response errors;
    private final Buffer numbers;
    private final long time;
    private int at, error;

    public ReplyReader(Response reply) {
        boolean hasErrors = reply.type() == ResponseType.MULTI;
        errors = hasErrors ? reply : null;
        numbers = hasErrors ? reply.get(0).toBuffer() : reply.toBuffer();
        time = nextNumber();
    }

    /** Microseconds since the epoch. */
    public long time() {
        return time;
    }

    /** The error of the next request, or {@code null} if it was decided and its numbers follow. */
    public String errorOfNext() {
        if (Double.longBitsToDouble(numbers.getLongLE(at)) != FAILED) {
            return null;
        }
        nextNumber();
        return errors.get(++error).toString();
    }

    /** The reply to the next request. */
    public StoreReply next(StoreRequest request) {
        List<LimitReply> limits = new ArrayList<>(request.operations().size());
        for (LimitOperation limit : request.operations()) {
            limits.add(nextReply(limit.operation()));
        }
        return new StoreReply(time, limits);
    }

    private LimitReply nextReply(Operation operation) {
        return operation.reply(nextNumber(), nextNumber(), nextNumber(), nextNumber(), nextNumber());
    }

    private long nextNumber() {
        double number = Double.longBitsToDouble(numbers.getLongLE(at));
        at += Double.BYTES;
        return (long) number;
    }
}
