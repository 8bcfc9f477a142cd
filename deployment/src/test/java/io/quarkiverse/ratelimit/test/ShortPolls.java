package io.quarkiverse.ratelimit.test;

import java.time.Duration;

import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/** Lets all tests see soon what they wait for, as there are hundreds of waits. */
public final class ShortPolls implements LauncherSessionListener {

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultPollInterval(Duration.ofMillis(20));
    }
}
