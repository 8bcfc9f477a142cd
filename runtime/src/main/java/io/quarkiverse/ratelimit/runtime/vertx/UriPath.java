package io.quarkiverse.ratelimit.runtime.vertx;

import io.vertx.core.http.impl.HttpUtils;
import io.vertx.core.net.impl.URIDecoder;

/** Reads the path of a request exactly as Vert.x does. */
public final class UriPath {

    private UriPath() {
    }

    public static String withoutDots(String path) {
        return HttpUtils.removeDots(path);
    }

    /** @throws IllegalArgumentException when an escape is malformed */
    public static String decoded(String path) {
        return URIDecoder.decodeURIComponent(path, false);
    }
}
