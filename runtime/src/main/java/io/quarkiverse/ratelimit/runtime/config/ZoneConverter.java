package io.quarkiverse.ratelimit.runtime.config;

import java.time.DateTimeException;
import java.time.ZoneId;

import org.eclipse.microprofile.config.spi.Converter;

/** Converts time zones. SmallRye Config names the property and the value of an {@code IllegalArgumentException} only. */
public final class ZoneConverter implements Converter<ZoneId> {

    /** A zone with a constant offset is replaced by that offset. */
    @Override
    public ZoneId convert(String text) {
        try {
            return ZoneId.of(text.strip()).normalized();
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("Not a time zone. Write it like Europe/Berlin, UTC or +02:00.", e);
        }
    }
}
