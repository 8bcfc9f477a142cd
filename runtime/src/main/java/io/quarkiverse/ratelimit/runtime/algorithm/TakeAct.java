package io.quarkiverse.ratelimit.runtime.algorithm;

/** Takes permits that come back by themselves, so that it does not matter which call has taken which. */
abstract class TakeAct implements Act, Merging {

    final Call call;
    private final LimitRule rule;

    /** @param rule by which it takes */
    TakeAct(LimitRule rule, Call call) {
        this.rule = rule;
        this.call = call;
    }

    /** How many permits are available by these numbers. */
    abstract long available(long[] numbers, int at, long now);

    @Override
    public Merging merging() {
        return call.manner() == Manner.TAKE ? this : null;
    }

    @Override
    public long cost() {
        return call.cost();
    }

    @Override
    public Act times(int calls) {
        return rule.take(call.times(calls));
    }

    @Override
    public void first(long[] numbers, int at, long now) {
        numbers[at] = call.granted(call.cost(), available(numbers, at, now));
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof TakeAct take && call.equals(take.call) && rule.equals(take.rule);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(call.cost());
    }
}
