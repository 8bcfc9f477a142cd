package io.quarkiverse.ratelimit.it.faults;

import static io.quarkiverse.ratelimit.it.faults.Fault.Counts.KEPT;
import static io.quarkiverse.ratelimit.it.faults.Fault.Counts.LOST;
import static io.quarkiverse.ratelimit.it.faults.Fault.Counts.PERHAPS_MORE;
import static io.quarkiverse.ratelimit.it.faults.Fault.Sight.MOMENT;
import static io.quarkiverse.ratelimit.it.faults.Fault.Sight.NOTHING;
import static io.quarkiverse.ratelimit.it.faults.Fault.Sight.SILENT;
import static io.quarkiverse.ratelimit.it.faults.Fault.Sight.UNAVAILABLE;

import java.util.List;
import java.util.function.Consumer;

import io.vertx.redis.client.Command;

/** What may happen to Redis and its network, and what callers see of it. */
enum Fault {

    SCRIPTS_FLUSHED("Redis loses its scripts (`SCRIPT FLUSH`, a restart, a failover)", NOTHING, KEPT,
            stage -> stage.redis().send(Command.SCRIPT, "FLUSH"), stage -> {
            }),
    KEYS_FLUSHED("Redis loses all keys (`FLUSHALL`)", NOTHING, LOST,
            stage -> stage.redis().send(Command.FLUSHALL), stage -> {
            }),
    WRONG_TYPE("A limit's key holds a value of another type", NOTHING, LOST, Stage::spoilKeys, stage -> {
    }),
    SLOW_LINK("Redis replies slowly, but within `timeout`", NOTHING, KEPT,
            stage -> stage.link().delay(40), stage -> stage.link().passAgain()),
    REPLIES_IN_PIECES("Replies arrive piece by piece", NOTHING, KEPT,
            stage -> stage.link().breakIntoPieces(), stage -> stage.link().passAgain()),

    CONNECTIONS_KILLED("Connections are closed (`CLIENT KILL`, an idle time-out on the way)", MOMENT, PERHAPS_MORE,
            stage -> stage.redis().closeConnections(), stage -> stage.redis().closeConnections()),
    LINK_CUT("The network resets all connections once", MOMENT, PERHAPS_MORE,
            stage -> stage.link().closeConnections(), stage -> {
            }),

    SHUT_DOWN("Redis is shut down and started again with its data", UNAVAILABLE, PERHAPS_MORE,
            stage -> stage.redis().shutDown(), stage -> stage.redis().startServer()),
    KILLED("Redis crashes and is replaced by an empty one", UNAVAILABLE, LOST,
            stage -> stage.redis().kill(), stage -> stage.redis().startServer()),
    LINK_REFUSED("Connections are refused", UNAVAILABLE, PERHAPS_MORE,
            stage -> stage.link().closeServer(), stage -> stage.link().acceptAgain()),
    NOT_REDIS("Something other than Redis replies", UNAVAILABLE, PERHAPS_MORE,
            stage -> stage.link().replyWithGarbage(), stage -> stage.link().passAgain()),
    TOO_MANY_CLIENTS("Redis accepts no more connections (`maxclients`)", UNAVAILABLE, PERHAPS_MORE, stage -> {
        stage.redis().send(Command.CONFIG, "SET", "maxclients", 1);
        stage.redis().closeConnections();
    }, stage -> stage.redis().send(Command.CONFIG, "SET", "maxclients", 10_000)),
    PASSWORD_CHANGED("The password was changed (`NOAUTH`)", UNAVAILABLE, PERHAPS_MORE, stage -> {
        stage.redis().send(Command.CONFIG, "SET", "requirepass", "another");
        stage.redis().closeConnections();
    }, stage -> stage.redis().send(Command.CONFIG, "SET", "requirepass", "")),
    PERMISSION_TAKEN("The user may no longer run scripts (`NOPERM`)", UNAVAILABLE, KEPT,
            stage -> stage.redis().send(Command.ACL, "SETUSER", "default", "-evalsha", "-eval"),
            stage -> stage.redis().send(Command.ACL, "SETUSER", "default", "+@all")),
    READ_ONLY("Redis has become a replica (`READONLY`)", UNAVAILABLE, KEPT,
            stage -> stage.redis().send(Command.REPLICAOF, "127.0.0.1", 1),
            stage -> stage.redis().send(Command.REPLICAOF, "NO", "ONE")),
    LOADING("Redis loads its data (`LOADING`)", UNAVAILABLE, KEPT, Stage::beginLoading, Stage::endLoading),
    BUSY("Another script runs for too long (`BUSY`)", UNAVAILABLE, KEPT, stage -> {
        stage.redis().send(Command.CONFIG, "SET", "lua-time-limit", 1);
        stage.redis().sendElsewhere(Command.EVAL, "while true do end", 0);
    }, stage -> stage.redis().send(Command.SCRIPT, "KILL")),
    OUT_OF_MEMORY("Redis has no memory left (`OOM`)", UNAVAILABLE, KEPT,
            stage -> stage.redis().send(Command.CONFIG, "SET", "maxmemory", 1),
            stage -> stage.redis().send(Command.CONFIG, "SET", "maxmemory", 0)),
    DISK_FULL("Redis cannot save and stops writing (`MISCONF`)", UNAVAILABLE, KEPT,
            Stage::beginFailingToSave, Stage::endFailingToSave),
    NO_REPLICAS("Redis has fewer replicas than `min-replicas-to-write` (`NOREPLICAS`)", UNAVAILABLE, KEPT,
            stage -> stage.redis().send(Command.CONFIG, "SET", "min-replicas-to-write", 1),
            stage -> stage.redis().send(Command.CONFIG, "SET", "min-replicas-to-write", 0)),

    FROZEN("Redis hangs (swapping, a stopped container, a blocked disk)", SILENT, PERHAPS_MORE,
            stage -> stage.redis().signal("STOP"), stage -> stage.redis().signal("CONT")),
    PAUSED("Redis blocks writes (`CLIENT PAUSE` before a failover)", SILENT, PERHAPS_MORE,
            stage -> stage.redis().send(Command.CLIENT, "PAUSE", 60_000, "WRITE"),
            stage -> stage.redis().send(Command.CLIENT, "UNPAUSE")),
    LINK_DEAD("The network swallows everything, connections are half-open", SILENT, PERHAPS_MORE,
            stage -> stage.link().swallowRequests(), stage -> {
                stage.link().dropConnections();
                stage.link().passAgain();
            }),
    REPLIES_LOST("The network swallows the replies only", SILENT, PERHAPS_MORE,
            stage -> stage.link().swallowReplies(), stage -> {
                stage.link().dropConnections();
                stage.link().passAgain();
            }),
    LINK_TOO_SLOW("Redis replies, but later than `timeout`", SILENT, PERHAPS_MORE,
            stage -> stage.link().delay(600), stage -> stage.link().passAgain()),

    QUEUE_FULL("More than 10 000 decisions wait for Redis on one event loop", MOMENT, PERHAPS_MORE,
            stage -> stage.callAtOnce(10_500), stage -> {
            });

    final String what;
    final Sight sight;
    final Counts counts;
    private final Consumer<Stage> onStart;
    private final Consumer<Stage> onEnd;

    /** What callers see. */
    enum Sight {
        /** Redis keeps deciding. */
        NOTHING,
        /** {@code on-redis-failure} decides the calls in progress. */
        MOMENT,
        /** {@code on-redis-failure} decides all calls, at once. */
        UNAVAILABLE,
        /** The same, but the first calls wait for {@code timeout}. */
        SILENT
    }

    /** What Redis has counted afterwards. */
    enum Counts {
        /** Exactly the calls that it decided. */
        KEPT,
        /** Also, perhaps, calls whose reply was lost. */
        PERHAPS_MORE,
        /** Nothing, or less. */
        LOST
    }

    Fault(String what, Sight sight, Counts counts, Consumer<Stage> onStart, Consumer<Stage> onEnd) {
        this.what = what;
        this.sight = sight;
        this.counts = counts;
        this.onStart = onStart;
        this.onEnd = onEnd;
    }

    void start(Stage stage) {
        onStart.accept(stage);
    }

    void end(Stage stage) {
        onEnd.accept(stage);
    }

    /** The results of {@code rate.limit.redis} during the fault. */
    List<String> results() {
        return switch (sight) {
            case NOTHING -> List.of("ok");
            case MOMENT -> List.of(this == QUEUE_FULL ? "error" : "unavailable");
            case UNAVAILABLE -> List.of(counts == KEPT ? "error" : "unavailable");
            case SILENT -> List.of("timeout", "unavailable");
        };
    }

    /** Whether Redis does not decide during the fault. */
    boolean lasts() {
        return sight == UNAVAILABLE || sight == SILENT;
    }
}
