package io.quarkiverse.ratelimit.it.faults;

import static io.quarkiverse.ratelimit.it.faults.Fault.Counts.KEPT;
import static io.quarkiverse.ratelimit.it.faults.Fault.Counts.LOST;
import static io.quarkiverse.ratelimit.it.faults.Fault.Counts.PERHAPS_MORE;
import static io.quarkiverse.ratelimit.it.faults.Fault.Sight.AWAY;
import static io.quarkiverse.ratelimit.it.faults.Fault.Sight.MOMENT;
import static io.quarkiverse.ratelimit.it.faults.Fault.Sight.NOTHING;
import static io.quarkiverse.ratelimit.it.faults.Fault.Sight.SILENT;

import java.util.List;
import java.util.function.Consumer;

import io.vertx.redis.client.Command;

/** What may happen to Redis and on the way to it, and what is to be seen of it. */
enum Fault {

    SCRIPTS_FLUSHED("Redis forgets its scripts (`SCRIPT FLUSH`, a restart, a failover)", NOTHING, KEPT,
            stage -> stage.redis().send(Command.SCRIPT, "FLUSH"), stage -> {
            }),
    KEYS_FLUSHED("Redis forgets all keys (`FLUSHALL`)", NOTHING, LOST,
            stage -> stage.redis().send(Command.FLUSHALL), stage -> {
            }),
    WRONG_TYPE("A limit's key holds a value of another type", NOTHING, LOST, Stage::spoilKeys, stage -> {
    }),
    SLOW_LINK("Redis answers slowly, yet within `timeout`", NOTHING, KEPT,
            stage -> stage.link().delay(40), stage -> stage.link().passAgain()),
    REPLIES_IN_PIECES("Replies arrive piece by piece", NOTHING, KEPT,
            stage -> stage.link().breakIntoPieces(), stage -> stage.link().passAgain()),

    CONNECTIONS_KILLED("Connections are closed (`CLIENT KILL`, an idle time-out on the way)", MOMENT, PERHAPS_MORE,
            stage -> stage.redis().closeConnections(), stage -> stage.redis().closeConnections()),
    LINK_CUT("The network resets all connections once", MOMENT, PERHAPS_MORE,
            stage -> stage.link().closeConnections(), stage -> {
            }),

    SHUT_DOWN("Redis is shut down and started again with its data", AWAY, PERHAPS_MORE,
            stage -> stage.redis().shutDown(), stage -> stage.redis().startServer()),
    KILLED("Redis crashes and is replaced by an empty one", AWAY, LOST,
            stage -> stage.redis().kill(), stage -> stage.redis().startServer()),
    LINK_REFUSED("Connections are refused", AWAY, PERHAPS_MORE,
            stage -> stage.link().refuse(), stage -> stage.link().acceptAgain()),
    NOT_REDIS("Something else answers in place of Redis", AWAY, PERHAPS_MORE,
            stage -> stage.link().answerGarbage(), stage -> stage.link().passAgain()),
    TOO_MANY_CLIENTS("Redis accepts no more connections (`maxclients`)", AWAY, PERHAPS_MORE, stage -> {
        stage.redis().send(Command.CONFIG, "SET", "maxclients", 1);
        stage.redis().closeConnections();
    }, stage -> stage.redis().send(Command.CONFIG, "SET", "maxclients", 10_000)),
    PASSWORD_CHANGED("The password was changed (`NOAUTH`)", AWAY, PERHAPS_MORE, stage -> {
        stage.redis().send(Command.CONFIG, "SET", "requirepass", "another");
        stage.redis().closeConnections();
    }, stage -> stage.redis().send(Command.CONFIG, "SET", "requirepass", "")),
    PERMISSION_TAKEN("The user may no longer run scripts (`NOPERM`)", AWAY, KEPT,
            stage -> stage.redis().send(Command.ACL, "SETUSER", "default", "-evalsha", "-eval"),
            stage -> stage.redis().send(Command.ACL, "SETUSER", "default", "+@all")),
    READ_ONLY("Redis has become a replica (`READONLY`)", AWAY, KEPT,
            stage -> stage.redis().send(Command.REPLICAOF, "127.0.0.1", 1),
            stage -> stage.redis().send(Command.REPLICAOF, "NO", "ONE")),
    LOADING("Redis loads its data (`LOADING`)", AWAY, KEPT, Stage::beginLoading, Stage::endLoading),
    BUSY("Somebody's script runs for too long (`BUSY`)", AWAY, KEPT, stage -> {
        stage.redis().send(Command.CONFIG, "SET", "lua-time-limit", 1);
        stage.redis().sendElsewhere(Command.EVAL, "while true do end", 0);
    }, stage -> stage.redis().send(Command.SCRIPT, "KILL")),
    OUT_OF_MEMORY("Redis has no memory left (`OOM`)", AWAY, KEPT,
            stage -> stage.redis().send(Command.CONFIG, "SET", "maxmemory", 1),
            stage -> stage.redis().send(Command.CONFIG, "SET", "maxmemory", 0)),
    DISK_FULL("Redis cannot save and stops writing (`MISCONF`)", AWAY, KEPT,
            Stage::beginFailingToSave, Stage::endFailingToSave),
    NO_REPLICAS("Redis has fewer replicas than `min-replicas-to-write` (`NOREPLICAS`)", AWAY, KEPT,
            stage -> stage.redis().send(Command.CONFIG, "SET", "min-replicas-to-write", 1),
            stage -> stage.redis().send(Command.CONFIG, "SET", "min-replicas-to-write", 0)),

    FROZEN("Redis stands still (swapping, a stopped container, a blocked disk)", SILENT, PERHAPS_MORE,
            stage -> stage.redis().signal("STOP"), stage -> stage.redis().signal("CONT")),
    PAUSED("Redis makes writers wait (`CLIENT PAUSE` before a failover)", SILENT, PERHAPS_MORE,
            stage -> stage.redis().send(Command.CLIENT, "PAUSE", 60_000, "WRITE"),
            stage -> stage.redis().send(Command.CLIENT, "UNPAUSE")),
    LINK_DEAD("The network swallows everything, connections are half-open", SILENT, PERHAPS_MORE,
            stage -> stage.link().swallowRequests(), stage -> {
                stage.link().forgetConnections();
                stage.link().passAgain();
            }),
    REPLIES_LOST("The network swallows the replies only", SILENT, PERHAPS_MORE,
            stage -> stage.link().swallowReplies(), stage -> {
                stage.link().forgetConnections();
                stage.link().passAgain();
            }),
    LINK_TOO_SLOW("Redis answers, but later than `timeout`", SILENT, PERHAPS_MORE,
            stage -> stage.link().delay(600), stage -> stage.link().passAgain()),

    QUEUE_FULL("More than 10 000 decisions wait for Redis on one event loop", MOMENT, PERHAPS_MORE,
            stage -> stage.askAtOnce(10_500), stage -> {
            });

    final String what;
    final Sight sight;
    final Counts counts;
    private final Consumer<Stage> beginning;
    private final Consumer<Stage> end;

    /** What the application's callers see. */
    enum Sight {
        /** Redis decides all along. */
        NOTHING,
        /** Calls that are under way are decided by {@code on-redis-failure}. */
        MOMENT,
        /** All calls are, at once. */
        AWAY,
        /** The first ones wait for {@code timeout}, later ones are decided at once. */
        SILENT
    }

    /** What Redis has counted afterwards. */
    enum Counts {
        /** Exactly what was answered so. */
        KEPT,
        /** This, and perhaps calls whose answer was lost. */
        PERHAPS_MORE,
        /** Nothing, or not all. */
        LOST
    }

    Fault(String what, Sight sight, Counts counts, Consumer<Stage> beginning, Consumer<Stage> end) {
        this.what = what;
        this.sight = sight;
        this.counts = counts;
        this.beginning = beginning;
        this.end = end;
    }

    void inflict(Stage stage) {
        beginning.accept(stage);
    }

    void mend(Stage stage) {
        end.accept(stage);
    }

    /** By which results {@code rate.limit.redis} tells of it. */
    List<String> results() {
        return switch (sight) {
            case NOTHING -> List.of("ok");
            case MOMENT -> List.of(this == QUEUE_FULL ? "error" : "away");
            case AWAY -> List.of(counts == KEPT ? "error" : "away");
            case SILENT -> List.of("timeout", "away");
        };
    }

    /** Whether Redis no longer decides while it lasts. */
    boolean lasts() {
        return sight == AWAY || sight == SILENT;
    }
}
