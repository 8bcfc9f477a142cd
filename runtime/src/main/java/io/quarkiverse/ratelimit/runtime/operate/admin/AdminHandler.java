package io.quarkiverse.ratelimit.runtime.operate.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.inject.Singleton;

import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkus.arc.Arc;
import io.quarkus.security.AuthenticationException;
import io.quarkus.security.AuthenticationFailedException;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.vertx.http.runtime.management.ManagementInterfaceBuildTimeConfig;
import io.smallrye.mutiny.Uni;
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

    private static final int MAX_BODY_BYTES = 64 * 1024;
    private static final Problem TOO_LARGE = new Problem(413, "The body is larger than " + MAX_BODY_BYTES + " bytes.");
    private static final Map<String, String> SAFETY = Map.of(
            "Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors "
                    + (Access.LOCAL_DEVELOPMENT ? "'self'" : "'none'"),
            "X-Content-Type-Options", "nosniff",
            "Referrer-Policy", "no-referrer",
            "Cache-Control", "no-store");

    private final Access access;
    private final AdminOperations operations;
    /** Files of the page for people, by their path below the root. */
    private final Map<String, PageFile> page = Stream.of("admin.js", "dialogs.js", "lists.js", "requests.js", "text.js",
            "admin.css", "").collect(Collectors.toMap(path -> path, PageFile::read));

    AdminHandler(AdminOperations operations, RateLimitConfig config, ManagementInterfaceBuildTimeConfig management) {
        this.operations = operations;
        access = new Access(given(config.adminRolesAllowed()), management.enabled() || Access.LOCAL_DEVELOPMENT,
                given(config.adminHosts()));
    }

    private static Set<String> given(Optional<List<String>> values) {
        return values.stream().flatMap(List::stream).map(String::strip).collect(Collectors.toSet());
    }

    @Override
    public void handle(RoutingContext routing) {
        SAFETY.forEach(routing.response()::putHeader);
        access.check(routing).chain(operator -> serve(routing, operator)).subscribe().with(served -> {
        }, failure -> fail(failure, routing));
    }

    private static void fail(Throwable failure, RoutingContext routing) {
        HttpServerResponse response = routing.response();
        try {
            if (!response.closed()) {
                respond(failure, routing);
            }
        } catch (RuntimeException e) {
            routing.fail(e);
        }
        if (response.ended() && !response.headWritten()) {
            // a handler of the application failed while the response was written, and Vert.x writes no second one
            routing.request().connection().close();
        }
    }

    private static void respond(Throwable failure, RoutingContext routing) {
        if (!routing.request().isEnded()) {
            // drops the body, so that the client can read the response
            routing.request().resume();
        }
        if (failure instanceof UnauthorizedException || failure instanceof AuthenticationFailedException) {
            Access.challenge(routing);
        } else if (failure instanceof AuthenticationException) {
            routing.fail(failure);
        } else {
            Problem.of(failure).send(routing.response());
        }
    }

    private Uni<Void> serve(RoutingContext routing, String operator) {
        HttpServerRequest request = routing.request();
        HttpServerResponse response = routing.response();
        String path = path(routing);
        if (path == null) {
            response.setStatusCode(308).putHeader(HttpHeaders.LOCATION, "rate-limit/").end();
            return Uni.createFrom().voidItem();
        }
        String method = request.method().name();
        PageFile file = method.equals("GET") || method.equals("HEAD") ? page.get(path) : null;
        if (file != null) {
            response.putHeader(HttpHeaders.CONTENT_TYPE, file.type).end(file.content);
            return Uni.createFrom().voidItem();
        }
        if (Access.isForeign(request)) {
            throw new Problem(403, "The request comes from a page of another origin.");
        }
        Target target = Target.of(path);
        Set<String> methods = target.kind().methods.keySet();
        if (!methods.contains(method) && !(Access.LOCAL_DEVELOPMENT && target.isAcquired(method))) {
            String allowed = String.join(", ", new TreeSet<>(methods));
            response.putHeader(HttpHeaders.ALLOW, allowed);
            throw new Problem(405, "This path supports " + allowed + ", but not " + method + '.');
        }
        if (method.equals("PUT") && !isJson(request)) {
            throw new Problem(415, "The body must be JSON. Send it with Content-Type: application/json.");
        }
        return body(routing).chain(body -> operations.run(new AdminRequest(method, target, request::getParam,
                () -> JsonInput.parse(body), operator)))
                .invoke(json -> send(json, response)).replaceWithVoid();
    }

    /** Returns the path below the root, still escaped; {@code null} for the root without a slash at its end. */
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

    /** Reads no more than it accepts. The rest of a body that is too large is dropped, so that the client can read why. */
    private static Uni<Buffer> body(RoutingContext routing) {
        HttpServerRequest request = routing.request();
        Buffer body = request.isEnded() && routing.body().buffer() != null ? routing.body().buffer() : Buffer.buffer();
        if (body.length() > MAX_BODY_BYTES) {
            throw TOO_LARGE;
        }
        return request.isEnded() ? Uni.createFrom().item(body)
                : Uni.createFrom().emitter(reader -> request
                        .exceptionHandler(reader::fail).endHandler(end -> reader.complete(body)).handler(part -> {
                            if (body.length() + part.length() > MAX_BODY_BYTES) {
                                reader.fail(TOO_LARGE);
                            } else {
                                body.appendBuffer(part);
                            }
                        }).resume());
    }

    private static void send(JsonObject json, HttpServerResponse response) {
        if (json == null) {
            response.setStatusCode(204).end();
        } else {
            response.putHeader(HttpHeaders.CONTENT_TYPE, "application/json").end(json.toBuffer());
        }
    }

    /** Passes requests to the handler. The first request creates it, when the application has started. */
    public static final class Route implements Handler<RoutingContext> {

        @Override
        public void handle(RoutingContext routing) {
            Arc.container().instance(AdminHandler.class).get().handle(routing);
        }
    }

    private record PageFile(String type, Buffer content) {

        static PageFile read(String path) {
            String type = path.endsWith(".js") ? "text/javascript" : path.endsWith(".css") ? "text/css" : "text/html";
            String file = "io/quarkiverse/ratelimit/admin/" + (path.isEmpty() ? "index.html" : path);
            try (InputStream read = AdminHandler.class.getClassLoader().getResourceAsStream(file)) {
                return new PageFile(type + ";charset=UTF-8", Buffer.buffer(read.readAllBytes()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
