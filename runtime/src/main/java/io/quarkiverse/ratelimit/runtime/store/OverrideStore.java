package io.quarkiverse.ratelimit.runtime.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.smallrye.mutiny.Uni;

/** Stores overrides and blocks as texts for all instances, each with its own time to live. */
public interface OverrideStore {

    /** How many overrides and blocks the script stores in Redis. */
    int MAX_TEXTS = 10_000;

    /** How many pauses the script stores besides. They take no room of operators, because called services ask for them. */
    int MAX_PAUSES = 10_000;

    /** How many pauses of one policy the script stores. */
    int MAX_PAUSES_OF_POLICY = 1_000;

    /** By how many microseconds a clock that is counted on may differ from that of the store. */
    long MAX_DIFFERENCE = 1_000_000;

    /** A version that the store never has, so that everything is read. */
    String UNKNOWN = "?";

    /** Stores a text under a name, in place of the previous one. Fails when there are {@link #MAX_TEXTS} already. */
    Uni<Void> put(String name, String text, Duration ttl);

    Uni<Void> remove(String name);

    /**
     * Stores a pause under a name, unless the previous one lasts longer. If there are as many pauses as the script stores, it
     * takes the place of the pause of this policy that ends first, and fails if there is none. Takes about the same time
     * however many pauses there are.
     *
     * @return how long the previous one would have lasted; zero for none
     */
    Uni<Duration> pause(String policy, String name, Duration ttl);

    /**
     * Ends a pause on all instances, also where an instance keeps it whose pause has lost its place.
     *
     * @return whether there was one in the store
     */
    Uni<Boolean> endPause(String policy, String name);

    /**
     * Reads the pauses that have changed, or all if the clock of the store has been set.
     *
     * @param known the last version that was read
     * @param time as in {@link #changedSince}
     * @return {@code null} when this is the newest version
     */
    Uni<PauseChanges> pausesSince(String known, long time);

    /**
     * Reads all texts by their names.
     *
     * @param known the last version that was read; versions change when texts are changed or expire
     * @param time by the clock of the store, as counted on since the last read, in microseconds
     * @return {@code null} when this is the newest version and the clock of the store agrees to a second
     */
    Uni<Versioned> changedSince(String known, long time);

    /** All texts at one version. */
    record Versioned(String version, Map<String, Kept> texts) {
    }

    /**
     * Changes of pauses, the oldest first.
     *
     * @param time by the clock of the store, in microseconds
     * @param all whether all pauses are among these, so that those that are missing have ended
     */
    record PauseChanges(String version, long time, boolean all, List<PauseChange> changes) {
    }

    /** @param left the time until the pause ends */
    record PauseChange(Kind kind, String name, Duration left) {

        public enum Kind {
            PAUSED,
            ENDED,
            /** Another pause has taken its place. The instance that paused the name keeps it. */
            REPLACED
        }
    }

    /** @param ttl the time until the text expires */
    record Kept(String text, Duration ttl) {
    }
}
