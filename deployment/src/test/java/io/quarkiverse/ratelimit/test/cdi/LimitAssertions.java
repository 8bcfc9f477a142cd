package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

import io.quarkiverse.ratelimit.RateLimitExceededException;

/** Asserts how often a call is allowed. */
final class LimitAssertions {

    private LimitAssertions() {
    }

    /** This number of calls succeeds and the next one is denied. */
    static void assertAllows(int calls, ThrowingCallable call) {
        assertSucceeds(calls, call);
        assertThatThrownBy(call).isInstanceOf(RateLimitExceededException.class);
    }

    static void assertUnlimited(ThrowingCallable call) {
        assertSucceeds(5, call);
    }

    static void assertSucceeds(int calls, ThrowingCallable call) {
        for (int i = 0; i < calls; i++) {
            assertThatCode(call).doesNotThrowAnyException();
        }
    }
}
