package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.ArrayList;
import java.util.List;

/**
 * Tracks the calls of a token bucket, so that they can be refunded exactly. {@code token_bucket/points.lua} explains
 * the algorithm and implements the same.
 *
 * @param begin since when calls are tracked
 */
record TokenBucketPoints(long begin, List<Point> points) {

    private static final int MAX_POINTS = 16, POINTS_PER_WEIGHT = 4;
    private static final long MAX_COUNT = 1L << 37;
    static final long NEVER = Long.MIN_VALUE;

    /**
     * A moment that separates later calls from earlier ones.
     *
     * @param till when the permits count as acquired, for calls before that time
     * @param count how many permits were acquired until the next point
     */
    record Point(long from, long till, long count) {
    }

    /** The level that must stay in use, and its rest. */
    record Least(long level, long rest) {

        static final Least NOTHING = new Least(0, 0);

        /** The greater of the two; this one if they are equal. */
        Least orMore(Least other) {
            return other.level > level || other.level == level && other.rest > rest ? other : this;
        }
    }

    /** The points of a key that counts since this time. If it has none, the result is empty and begins {@link #NEVER}. */
    static TokenBucketPoints of(Object stored, long since, long now) {
        if (stored instanceof TokenBucketState state && state.since() == since && state.points() != null) {
            List<Point> points = state.points().points;
            if (points.isEmpty() || points.get(points.size() - 1).till <= now) {
                return state.points();
            }
        }
        return new TokenBucketPoints(NEVER, List.of());
    }

    /** No points yet: calls are tracked only after this time. */
    static TokenBucketPoints after(long time) {
        return new TokenBucketPoints(time + 1, List.of());
    }

    int weight() {
        return 1 + points.size() / POINTS_PER_WEIGHT;
    }

    boolean areTracked() {
        return begin != NEVER;
    }

    /** Adds a call that acquires this number of permits now; {@code sum} is the state of the bucket after the call. */
    TokenBucketPoints plus(TokenBucketState sum, long granted, long now) {
        TokenBucket bucket = sum.bucket();
        List<Point> kept = relevant(sum, now).points;
        long count = granted;
        for (Point point : kept) {
            count += point.count;
        }
        if (count > MAX_COUNT || !bucket.interval() && sum.level() >= TokenBucket.MAX_FILL_TIME) {
            return after(now);
        }
        int last = kept.size() - 1;
        if (last >= 0 && kept.get(last).till == now) {
            kept.set(last, new Point(kept.get(last).from, now, kept.get(last).count + granted));
        } else {
            kept.add(new Point(now, now, granted));
        }
        if (kept.size() > MAX_POINTS) {
            mergeClosest(kept);
        }
        return new TokenBucketPoints(areTracked() ? begin : now, kept);
    }

    private static void mergeClosest(List<Point> points) {
        int closest = 0;
        for (int i = 1; i < points.size() - 1; i++) {
            if (points.get(i + 1).till - points.get(i).from < points.get(closest + 1).till - points.get(closest).from) {
                closest = i;
            }
        }
        Point first = points.get(closest), second = points.remove(closest + 1);
        points.set(closest, new Point(first.from, second.till, first.count + second.count));
    }

    /** The points without those that no longer matter. */
    TokenBucketPoints relevant(TokenBucketState state, long now) {
        List<Point> kept = new ArrayList<>(points.size() + 1);
        long following = now, count = 0;
        for (int i = points.size() - 1; i >= 0; i--) {
            Point point = points.get(i);
            count += point.count;
            Least left = left(state, count, point.till, following);
            if (left.level > 0 || left.level == 0 && left.rest > 0) {
                kept.add(0, new Point(point.from, point.till, count));
                following = point.till;
                count = 0;
            }
        }
        return new TokenBucketPoints(begin, kept);
    }

    /** The points without this number of permits of the call at this time. */
    TokenBucketPoints without(long count, long acquiredAt) {
        List<Point> left = new ArrayList<>(points);
        int at = before(acquiredAt);
        if (at >= 0) {
            Point point = left.get(at);
            left.set(at, new Point(point.from, point.till, Math.max(0, point.count - count)));
        }
        return new TokenBucketPoints(begin, left);
    }

    /** What must stay in use when the call at this time is refunded. These points no longer contain the call. */
    Least leastInUse(long acquiredAt, TokenBucketState state, long now) {
        Least least = Least.NOTHING;
        long sum = 0;
        for (int i = points.size() - 1; i >= Math.max(0, before(acquiredAt)); i--) {
            Point point = points.get(i);
            sum += point.count;
            if (point.till > acquiredAt) {
                least = least.orMore(left(state, sum, point.till, now));
            }
        }
        return least;
    }

    /** When the next call was made if it is tracked, or {@link #NEVER}. */
    long next(long acquiredAt) {
        int at = before(acquiredAt), next = at >= 0 && points.get(at).till > acquiredAt ? at : at + 1;
        return next < points.size() && points.get(next).from == points.get(next).till ? points.get(next).from : NEVER;
    }

    /** The index of the last point that begins no later than this time, or -1. */
    private int before(long time) {
        int at = points.size() - 1;
        while (at >= 0 && points.get(at).from > time) {
            at--;
        }
        return at;
    }

    /** What is left of permits acquired at this time. If nothing is left, the level is at most 0. */
    private static Least left(TokenBucketState state, long count, long acquiredAt, long now) {
        long permits = state.bucket().permits(), period = state.bucket().period();
        if (state.bucket().interval()) {
            long refills = Math.floorDiv(now - state.at(), period) - Math.floorDiv(acquiredAt - state.at(), period);
            return new Least(count - refills * permits, 0);
        }
        // as in the script: the product of both can overflow
        long part = period % permits, first = (count >> 15) * part;
        long second = (first % permits << 15) + (count & 32767) * part;
        long time = count * (period / permits) + (first / permits << 15) + second / permits;
        return new Least(time - (now - acquiredAt), second % permits);
    }
}
