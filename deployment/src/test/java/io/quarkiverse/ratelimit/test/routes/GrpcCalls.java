package io.quarkiverse.ratelimit.test.routes;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** Sends requests over HTTP/2, as gRPC clients do. */
final class GrpcCalls {

    private GrpcCalls() {
    }

    static HttpResponse<String> post(String target, String contentType) {
        HttpClient client = HttpClient.newBuilder().version(Version.HTTP_2).build();
        URI uri = URI.create("http://127.0.0.1:" + Wire.port() + target);
        try {
            // moves the connection on to HTTP/2
            client.send(HttpRequest.newBuilder(uri.resolve("/free")).build(), BodyHandlers.discarding());
            return client.send(HttpRequest.newBuilder(uri).header("Content-Type", contentType)
                    .POST(BodyPublishers.ofString("call")).build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
