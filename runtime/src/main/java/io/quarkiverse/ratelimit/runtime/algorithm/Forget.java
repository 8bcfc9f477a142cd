package io.quarkiverse.ratelimit.runtime.algorithm;

/** Removes a key. */
public record Forget() implements Act {

    private static final byte[] NONE = {};

    @Override
    public String script() {
        return "algorithms";
    }

    @Override
    public String function() {
        return "forget";
    }

    @Override
    public boolean isRare() {
        return true;
    }

    @Override
    public byte[] arguments(long now) {
        return NONE;
    }

    @Override
    public Verdict decide(Object stored, long now, long cost) {
        return Verdict.of(1, () -> null, now);
    }
}
