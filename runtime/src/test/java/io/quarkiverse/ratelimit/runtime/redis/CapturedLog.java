package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects what the limiter logs while it is open. */
final class CapturedLog extends Handler implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final List<Level> levels = new CopyOnWriteArrayList<>();

    CapturedLog() {
        LOG.addHandler(this);
    }

    long warnings() {
        return levels.stream().filter(level -> level.intValue() == Level.WARNING.intValue()).count();
    }

    long infos() {
        return levels.stream().filter(level -> level.intValue() == Level.INFO.intValue()).count();
    }

    @Override
    public void publish(LogRecord entry) {
        levels.add(entry.getLevel());
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
        LOG.removeHandler(this);
    }
}
