package io.quarkiverse.ratelimit.runtime.vertx;

import java.util.List;

import io.netty.handler.codec.http.cookie.Cookie;
import io.netty.handler.codec.http.cookie.ServerCookieDecoder;

/** Decodes {@code Cookie} headers. */
public final class CookieHeader {

    private CookieHeader() {
    }

    /** The value of the first cookie with this name; {@code null} if no header has one. */
    public static String value(List<String> headers, String name) {
        for (String header : headers) {
            for (Cookie cookie : ServerCookieDecoder.STRICT.decodeAll(header)) {
                if (cookie.name().equals(name)) {
                    return cookie.value();
                }
            }
        }
        return null;
    }
}
