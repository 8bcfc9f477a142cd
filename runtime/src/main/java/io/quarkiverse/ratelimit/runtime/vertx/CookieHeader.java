package io.quarkiverse.ratelimit.runtime.vertx;

import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;

/** Decodes {@code Cookie} headers. */
public final class CookieHeader {

    private CookieHeader() {
    }

    /** The value of the first cookie with this name; {@code null} if the header has none. */
    public static String value(String header, String name) {
        for (Cookie cookie : ServerCookieDecoder.STRICT.decodeAll(header)) {
            if (cookie.name().equals(name)) {
                return cookie.value();
            }
        }
        return null;
    }
}
