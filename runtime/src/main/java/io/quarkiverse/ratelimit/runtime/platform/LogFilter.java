package io.quarkiverse.ratelimit.runtime.platform;

import java.util.function.Predicate;
import java.util.logging.Filter;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Suppresses entries of another component that repeat what the limiter logs itself. Suppresses nothing if the application sets
 * the level of the category. A filter that the category has remains in force.
 */
public final class LogFilter implements Filter {

    private final Logger logger;
    private final Predicate<LogRecord> suppressed;
    private Filter others;

    public LogFilter(String category, Predicate<LogRecord> suppressed) {
        this.logger = Logger.getLogger(category);
        this.suppressed = suppressed;
    }

    public void install() {
        others = logger.getFilter();
        logger.setFilter(this);
    }

    public void uninstall() {
        if (logger.getFilter() == this) {
            logger.setFilter(others);
        }
    }

    @Override
    public boolean isLoggable(LogRecord entry) {
        return (others == null || others.isLoggable(entry)) && (logger.getLevel() != null || !suppressed.test(entry));
    }
}
