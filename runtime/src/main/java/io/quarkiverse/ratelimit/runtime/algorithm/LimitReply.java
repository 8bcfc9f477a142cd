package io.quarkiverse.ratelimit.runtime.algorithm;

import java.util.function.LongSupplier;

/** A store's reply for one limit. */
public interface LimitReply {

    /** The number of permits granted; 0 if the limit denies. */
    long granted();

    /** The reply to an operation that reads no usage, such as a refund. */
    record Done(long granted) implements LimitReply {

        static final Done ALLOWED = new Done(1);

        /** Reads the numbers of the script: after the first, all are 0. */
        static Done read(LongSupplier numbers) {
            long granted = numbers.getAsLong();
            for (int unused = 1; unused < Operation.NUMBERS; unused++) {
                numbers.getAsLong();
            }
            return new Done(granted);
        }
    }
}
