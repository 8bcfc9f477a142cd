package io.quarkiverse.ratelimit.test;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Collects what is logged while the tests of a class run, and checks it after the last one. */
public final class CheckedLog extends Handler implements BeforeAllCallback, AfterAllCallback {

    private static final Logger ROOT = Logger.getLogger("");

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final Predicate<LogRecord> included;
    private final Consumer<List<LogRecord>> check;

    /** Checks nothing after the last test. */
    public CheckedLog(Predicate<LogRecord> included) {
        this(included, records -> {
        });
    }

    /** @param check holds whichever tests of the class have run */
    public CheckedLog(Predicate<LogRecord> included, Consumer<List<LogRecord>> check) {
        this.included = included;
        this.check = check;
    }

    public List<LogRecord> records() {
        return records;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        ROOT.addHandler(this);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        ROOT.removeHandler(this);
        check.accept(records);
    }

    @Override
    public void publish(LogRecord entry) {
        if (included.test(entry)) {
            records.add(entry);
        }
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
    }
}
