package io.quarkiverse.ratelimit.runtime.redis;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.jboss.logmanager.ExtLogRecord;

/** Collects what the limiter logs while it is open. */
public final class CapturedLog extends Handler implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    private final List<LogRecord> entries = new CopyOnWriteArrayList<>();

    public CapturedLog() {
        LOG.addHandler(this);
    }

    public long warnings() {
        return entries.stream().filter(entry -> entry.getLevel().intValue() == Level.WARNING.intValue()).count();
    }

    public long errors() {
        return entries.stream().filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue()).count();
    }

    long infos() {
        return entries.stream().filter(entry -> entry.getLevel().intValue() == Level.INFO.intValue()).count();
    }

    /** What was logged last. */
    public String last() {
        return textOf(entries.get(entries.size() - 1));
    }

    /** All messages that contain this text. */
    public List<String> messages(String text) {
        return entries.stream().map(CapturedLog::textOf).filter(message -> message.contains(text)).toList();
    }

    private static String textOf(LogRecord entry) {
        return entry instanceof ExtLogRecord formatted ? formatted.getFormattedMessage() : entry.getMessage();
    }

    @Override
    public void publish(LogRecord entry) {
        entries.add(entry);
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
        LOG.removeHandler(this);
    }
}
