package io.quarkiverse.ratelimit.runtime.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.RateLimiters;
import io.quarkiverse.ratelimit.ReactiveRateLimitAdmin;
import io.quarkiverse.ratelimit.runtime.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.PolicyReferences;
import io.quarkiverse.ratelimit.runtime.settings.Settings;
import io.quarkus.security.AuthenticationException;
import io.quarkus.vertx.http.runtime.management.ManagementInterfaceBuildTimeConfig;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** Serves the requests below the root of the administration to the callers that may send them. */
@Singleton
public class AdminHandler implements Handler<RoutingContext> {

    /** The last segment of the root. */
    private static final String ROOT = "rate-limit";

    private static final Map<String, String> SAFETY = Map.of(
            "Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors "
                    + (Access.LOCAL_DEVELOPMENT ? "'self'" : "'none'"),
            "X-Content-Type-Options", "nosniff",
            "Referrer-Policy", "no-referrer",
            "Cache-Control", "no-store");

    private final Access access;
    private final AdminOperations operations;
    private final Page page = new Page();

    AdminHandler(ReactiveRateLimitAdmin admin, RateLimiters limiters, Settings settings, PolicyReferences references,
            RateLimitConfig config, ManagementInterfaceBuildTimeConfig management) {
        access = new Access(given(config.admin().rolesAllowed()), management.enabled() || Access.LOCAL_DEVELOPMENT,
                given(config.admin().hosts()));
        operations = new AdminOperations(admin, limiters, settings, references);
    }

    private static Set<String> given(Optional<List<String>> values) {
        return values.stream().flatMap(List::stream).map(String::strip).collect(Collectors.toSet());
    }

    @Override
    public void handle(RoutingContext routing) {
        SAFETY.forEach(routing.response()::putHeader);
        access.check(routing).chain(() -> serve(routing)).subscribe().with(served -> {
        }, failure -> fail(failure, routing));
    }

    private static void fail(Throwable failure, RoutingContext routing) {
        HttpServerResponse response = routing.response();
        try {
            respond(failure, routing);
        } catch (RuntimeException e) {
            routing.fail(e);
        }
        if (response.ended() && !response.headWritten()) {
            // a handler of the application failed while it was written, and Vert.x writes no other
            response.close();
        }
    }

    private static void respond(Throwable failure, RoutingContext routing) {
        if (routing.response().closed()) {
            return;
        }
        if (!routing.request().isEnded()) {
            // drops the body, so that the client can read the response
            routing.request().resume();
        }
        if (Access.isUnauthenticated(failure)) {
            Access.challenge(routing);
        } else if (failure instanceof AuthenticationException) {
            routing.fail(failure);
        } else {
            Problem.of(failure).send(routing.response());
        }
    }

    private Uni<Void> serve(RoutingContext routing) {
        HttpServerRequest request = routing.request();
        String path = path(routing);
        if (path == null) {
            routing.response().setStatusCode(308).putHeader(HttpHeaders.LOCATION, ROOT + '/').end();
            return Uni.createFrom().voidItem();
        }
        String method = request.method().name();
        if (page.has(path) && (method.equals("GET") || method.equals("HEAD"))) {
            page.send(path, routing.response());
            return Uni.createFrom().voidItem();
        }
        if (Access.isForeign(request)) {
            throw new Problem(403, "The request comes from a page of another origin.");
        }
        Target target = Target.of(path);
        if (!Access.LOCAL_DEVELOPMENT || !target.isAcquired(method)) {
            target.kind().require(method);
        }
        if (method.equals("PUT") && !isJson(request)) {
            throw new Problem(415, "The body must be JSON. Send it with Content-Type: application/json.");
        }
        return RequestBody.of(routing)
                .chain(body -> operations.run(method, target, name -> request.getParam(name), () -> JsonInput.parse(body)))
                .invoke(json -> send(json, routing.response())).replaceWithVoid();
    }

    /** What follows the root, still escaped; {@code null} for the root without a slash at its end. */
    private static String path(RoutingContext routing) {
        String path = routing.request().path();
        String mount = routing.mountPoint() == null ? "" : routing.mountPoint();
        String root = (mount + routing.currentRoute().getPath()).replace("//", "/");
        if (path.startsWith(root)) {
            return path.substring(root.length());
        }
        if (!root.equals(path + '/')) {
            throw new Problem(404, "Write the path as " + root + ", without escapes.");
        }
        return null;
    }

    private static boolean isJson(HttpServerRequest request) {
        String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
        return type != null && type.toLowerCase(Locale.ROOT).split(";", 2)[0].strip().equals("application/json");
    }

    private static void send(JsonObject json, HttpServerResponse response) {
        if (json == null) {
            response.setStatusCode(204).end();
        } else {
            response.putHeader(HttpHeaders.CONTENT_TYPE, "application/json").end(json.toBuffer());
        }
    }

    /** The files of the page for people. */
    private static final class Page {

        private static final String FOLDER = "io/quarkiverse/ratelimit/admin/";

        private final Map<String, File> files = Map.of(
                "", new File("text/html;charset=UTF-8", content("index.html")),
                "admin.css", new File("text/css;charset=UTF-8", content("admin.css")),
                "admin.js", new File("text/javascript;charset=UTF-8", content("admin.js")));

        boolean has(String path) {
            return files.containsKey(path);
        }

        void send(String path, HttpServerResponse response) {
            File file = files.get(path);
            response.putHeader("Content-Type", file.type).end(file.content);
        }

        private static Buffer content(String name) {
            try (InputStream file = Page.class.getClassLoader().getResourceAsStream(FOLDER + name)) {
                if (file == null) {
                    throw new IllegalStateException(FOLDER + name + " is not on the class path");
                }
                return Buffer.buffer(file.readAllBytes());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private record File(String type, Buffer content) {
        }
    }

    /** Reads the body of a request, of which it keeps no more than it accepts. */
    private static final class RequestBody {

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
}
