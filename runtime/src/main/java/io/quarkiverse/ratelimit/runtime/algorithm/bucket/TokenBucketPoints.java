package io.quarkiverse.ratelimit.runtime.algorithm.bucket;

import java.util.ArrayList;
import java.util.List;

import io.quarkiverse.ratelimit.runtime.algorithm.bucket.Rate.Level;

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
     * @param till time at which the permits count as acquired, for calls before that time
     * @param count number of permits acquired until the next point
     */
    record Point(long from, long till, long count) {
    }

    /** Creates an empty list of points. Calls are tracked only after this time. */
    static TokenBucketPoints after(long time) {
        return new TokenBucketPoints(time + 1, List.of());
    }

    int weight() {
        return 1 + points.size() / POINTS_PER_WEIGHT;
    }

    /** Returns whether no call is later than this time. */
    boolean endBy(long now) {
        return points.isEmpty() || points.get(points.size() - 1).till <= now;
    }

    /** Adds a call that acquires this number of permits now; {@code after} is the state of the bucket after the call. */
    TokenBucketPoints plus(TokenBucketState after, long granted, long now) {
        List<Point> kept = relevant(after, now).points;
        long count = granted;
        for (Point point : kept) {
            count += point.count;
        }
        if (count > MAX_COUNT || !after.rate().interval() && after.level().whole() >= Rate.MAX_FILL_TIME) {
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
        return new TokenBucketPoints(begin, kept);
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

    /** Returns the points that still matter. */
    TokenBucketPoints relevant(TokenBucketState state, long now) {
        List<Point> kept = new ArrayList<>(points.size() + 1);
        long nextPoint = now, count = 0;
        for (int i = points.size() - 1; i >= 0; i--) {
            Point point = points.get(i);
            count += point.count;
            if (state.inUse(count, point.till, nextPoint).exceeds(Level.NONE)) {
                kept.add(0, new Point(point.from, point.till, count));
                nextPoint = point.till;
                count = 0;
            }
        }
        return new TokenBucketPoints(begin, kept);
    }

    /**
     * The calls of a bucket without a refunded one.
     *
     * @param needed level that must stay in use because of later calls: the highest that any later moment has left
     * @param next time of the call after the refunded one, or {@link #NEVER} if that call is not tracked
     */
    record OtherCalls(TokenBucketPoints points, Level needed, long next) {
    }

    /** Removes this number of permits of the call at this time. */
    OtherCalls without(long count, long acquiredAt, TokenBucketState state, long now) {
        List<Point> others = new ArrayList<>(points);
        Level needed = Level.NONE;
        long sum = 0, next = NEVER;
        boolean earlier = false;
        for (int i = points.size() - 1; i >= 0 && !earlier; i--) {
            Point point = points.get(i);
            earlier = point.from <= acquiredAt;
            long left = earlier ? Math.max(0, point.count - count) : point.count;
            others.set(i, new Point(point.from, point.till, left));
            sum += left;
            if (point.till > acquiredAt) {
                needed = needed.orMore(state.inUse(sum, point.till, now));
                next = point.from == point.till ? point.from : NEVER;
            }
        }
        return new OtherCalls(new TokenBucketPoints(begin, others), needed, next);
    }
}
