package io.quarkiverse.ratelimit.it.faults;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtLogRecord;

/** Collects the log entries of the limiter, all errors and reports of blocked threads, while it is open. */
final class LimiterLog extends Handler implements AutoCloseable {

    private static final Logger ALL = Logger.getLogger("");

    private final List<LogEntry> entries = new CopyOnWriteArrayList<>();

    /** @param at by {@link System#nanoTime} */
    record LogEntry(long at, String logger, Level level, String text) {

        boolean isOfLimiter() {
            return logger.equals("io.quarkiverse.ratelimit");
        }

        boolean beginsOutage() {
            return isOfLimiter() && level.intValue() == Level.WARNING.intValue();
        }

        boolean endsOutage() {
            return isOfLimiter() && level.intValue() == Level.INFO.intValue();
        }

        boolean isUnexpected() {
            return level.intValue() > Level.WARNING.intValue() || text.contains("has been blocked");
        }
    }

    LimiterLog() {
        ALL.addHandler(this);
    }

    void clear() {
        entries.clear();
    }

    List<LogEntry> entries() {
        return List.copyOf(entries);
    }

    long beginnings() {
        return entries.stream().filter(LogEntry::beginsOutage).count();
    }

    long ends() {
        return entries.stream().filter(LogEntry::endsOutage).count();
    }

    @Override
    public void publish(LogRecord entry) {
        String text = entry instanceof ExtLogRecord formatted ? formatted.getFormattedMessage() : entry.getMessage();
        entries.add(new LogEntry(System.nanoTime(), String.valueOf(entry.getLoggerName()), entry.getLevel(), text));
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
        ALL.removeHandler(this);
    }
}
