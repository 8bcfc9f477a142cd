package io.quarkiverse.ratelimit.runtime.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;

/** The files of the page for people. */
final class Page {

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
