package io.quarkiverse.ratelimit.runtime.algorithm;

/** Gives permits back by the second function of an algorithm's file. */
interface GiveBackAct extends Act {

    @Override
    default String function() {
        return script() + "_give_back";
    }

    @Override
    default boolean isRare() {
        return true;
    }
}
