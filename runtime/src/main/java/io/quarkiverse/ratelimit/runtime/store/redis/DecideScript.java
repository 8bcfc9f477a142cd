package io.quarkiverse.ratelimit.runtime.store.redis;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import io.quarkiverse.ratelimit.runtime.algorithm.LimitReply;
import io.quarkiverse.ratelimit.runtime.store.StoreReply;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitKey;
import io.quarkiverse.ratelimit.runtime.store.StoreRequest.LimitOperation;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import io.vertx.redis.client.ResponseType;

/**
 * Turns requests into calls of a script, which consists of the files that their operations need, and reads its replies. Also
 * calls the scripts that decide nothing, so that tests move the time of all together.
 */
public class DecideScript {

    /** Scripts by their files, one {@code ScriptFile.bit} each. */
    private final Map<Long, AssembledScript> scripts = new ConcurrentHashMap<>();
    /** Part of the keys before the caller. */
    private final String prefix;
    /** Microseconds by which the time of Redis, with the offset, is ahead of {@link #monotonic}; estimates that time. */
    private volatile long redisAhead;
    /** Microseconds by which tests have moved the time of later commands ahead of the server's clock. */
    private volatile long clockOffset;

    /**
     * @param keyPrefix prefix of every key
     * @param application replaces the clock of Redis until the first reply
     */
    public DecideScript(String keyPrefix, Clock application) {
        this.prefix = keyPrefix + ":{";
        this.redisAhead = TimeUnit.MILLISECONDS.toMicros(application.millis()) - monotonic();
    }

    /**
     * Creates the command that calls the script for these requests.
     *
     * @param withText whether the command contains the text of the script, which also loads it
     */
    public Request command(List<StoreRequest> requests, boolean withText) {
        List<String> keys = new ArrayList<>(requests.size());
        long files = 0;
        for (StoreRequest request : requests) {
            files |= request.files();
            for (LimitOperation limit : request.operations()) {
                keys.add(redisKey(limit.key()));
            }
        }
        AssembledScript script = scripts.computeIfAbsent(files,
                needed -> AssembledScript.of(text(needed)).movedBy(clockOffset));
        Request command = Request.cmd(withText ? Command.EVAL : Command.EVALSHA)
                .arg(withText ? script.text() : script.sha1()).arg(keys.size());
        keys.forEach(command::arg);
        addArguments(requests, command);
        return command;
    }

    /** Creates the command that calls a script which decides nothing, with or without its text. */
    Request command(AssembledScript called, List<String> keys, List<String> arguments, boolean withText) {
        AssembledScript script = called.movedBy(clockOffset);
        Request command = Request.cmd(withText ? Command.EVAL : Command.EVALSHA)
                .arg(withText ? script.text() : script.sha1()).arg(keys.size());
        keys.forEach(command::arg);
        arguments.forEach(command::arg);
        return command;
    }

    /** Creates a command that changes nothing. It has a key, because some servers reject scripts without keys. */
    public Request checkCommand() {
        return Request.cmd(Command.EVAL).arg("return 0").arg(1).arg(prefix + "check}");
    }

    /** Returns the cluster slot of the keys of a request. All its keys contain the same caller, so they share the slot. */
    public int slot(StoreRequest request) {
        return KeySlot.of(redisKey(request.operations().get(0).key()));
    }

    /**
     * Returns the key in Redis: {@code <prefix>:{<caller>}:<policy>:<limit>:<layout>}, so that all limits of one caller share a
     * cluster slot, or {@code <prefix>:{<policy>}:<limit>:<layout>} if all callers share one count.
     */
    private String redisKey(LimitKey key) {
        return key.callerKey().isEmpty() ? prefix + key.policy() + "}:" + key.limit()
                : prefix + key.callerKey() + "}:" + key.policy() + ":" + key.limit();
    }

    /** Records the time of Redis in a reply that just arrived, microseconds since the epoch. */
    public void recordTime(long now) {
        redisAhead = now - monotonic();
    }

    private static long monotonic() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
    }

    /** Returns the text of the script with these files. Tests override it. */
    public String text(long files) {
        return AssembledScript.text(files);
    }

    /** Moves the time of later commands, in tests of applications. */
    public void moveClock(long offset) {
        clockOffset = offset;
        scripts.clear();
    }

    /**
     * Adds what the header of {@code decide.lua} describes as ARGV: the arguments once for requests that differ only in keys.
     */
    private void addArguments(List<StoreRequest> requests, Request command) {
        long now = monotonic() + redisAhead;
        for (int begin = 0, end; begin < requests.size(); begin = end) {
            StoreRequest first = requests.get(begin);
            end = begin + 1;
            while (end < requests.size() && requests.get(end).hasOperationsOf(first)) {
                end++;
            }
            command.arg(end - begin).arg(first.groups());
            for (LimitOperation limit : first.operations()) {
                command.arg(limit.operation().function().path).arg(limit.operation().arguments(now));
            }
        }
    }

    /** Reads the reply of the script, one request after the other. The header of {@code decide.lua} describes it. */
    public static final class ReplyReader {

        /** Number in place of those of a request that failed. */
        private static final double FAILED = -1;

        /** Time of the decision, microseconds since the epoch. */
        public final long time;
        private final Response reply;
        private final Buffer numbers;
        private int at, error;

        public ReplyReader(Response reply) {
            this.reply = reply;
            numbers = (reply.type() == ResponseType.MULTI ? reply.get(0) : reply).toBuffer();
            time = nextNumber();
        }

        /** Returns the error of the next request, or {@code null} if it was decided and its numbers follow. */
        public String errorOfNext() {
            if (Double.longBitsToDouble(numbers.getLongLE(at)) != FAILED) {
                return null;
            }
            nextNumber();
            return reply.get(++error).toString();
        }

        /** Returns the reply to the next request. */
        public StoreReply next(StoreRequest request) {
            List<LimitReply> limits = new ArrayList<>(request.operations().size());
            for (LimitOperation limit : request.operations()) {
                limits.add(limit.operation().reply(nextNumber(), nextNumber(), nextNumber(), nextNumber(), nextNumber()));
            }
            return new StoreReply(time, limits);
        }

        private long nextNumber() {
            double number = Double.longBitsToDouble(numbers.getLongLE(at));
            at += Double.BYTES;
            return (long) number;
        }
    }
}
