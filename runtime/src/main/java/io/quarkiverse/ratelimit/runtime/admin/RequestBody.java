package io.quarkiverse.ratelimit.runtime.admin;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;

/** Reads the body of a request, of which it keeps no more than it accepts. */
final class RequestBody {

    private static final int MAX_BYTES = 64 * 1024;
    private static final Problem TOO_LARGE = new Problem(413, "The body is larger than " + MAX_BYTES + " bytes.");

    private final Buffer read = Buffer.buffer();
    private boolean tooLarge;

    private RequestBody() {
    }

    static Uni<Buffer> of(RoutingContext routing) {
        HttpServerRequest request = routing.request();
        if (!request.isEnded()) {
            return Uni.createFrom().emitter(reader -> new RequestBody().read(request, reader));
        }
        Buffer read = routing.body().buffer();
        return read != null && read.length() > MAX_BYTES ? Uni.createFrom().failure(TOO_LARGE)
                : Uni.createFrom().item(read == null ? Buffer.buffer() : read);
    }

    /** Drops the rest of a body that is too large, so that the client can read the response. */
    private void read(HttpServerRequest request, UniEmitter<? super Buffer> reader) {
        request.exceptionHandler(reader::fail).endHandler(end -> reader.complete(read)).handler(part -> {
            tooLarge |= read.length() + part.length() > MAX_BYTES;
            if (tooLarge) {
                reader.fail(TOO_LARGE);
            } else {
                read.appendBuffer(part);
            }
        }).resume();
    }
}
