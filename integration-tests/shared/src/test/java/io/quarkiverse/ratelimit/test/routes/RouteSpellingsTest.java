package io.quarkiverse.ratelimit.test.routes;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.test.junit.QuarkusTest;
import io.vertx.ext.web.Router;

/** No spelling of a path reaches what serves it without being counted. */
@QuarkusTest
class RouteSpellingsTest {

    @ParameterizedTest
    @ValueSource(strings = {
            "/api", "//api", "///api//login", "/api/login/", "/api/login//", "/./api/login", "/x/../api/login",
            "/x/%2e%2e/api/login", "/api/%2e/login", "/%61pi/login", "/%61%70%69/%6cogin", "/api;x=1/login", "/api;/login",
            "/api/login;a=1;b=2", "/;x/api/login", "/api/login;", "/api;x=%2F/login", "/api/../api/login",
            "/q/../api/login", "/q/..;/api/login", "/q/..%2fapi/login", "/api/%2e%2e;/login", "/..;/api/login",
            "/api%2flogin", "/api%3Bx/login", "/%2561pi/login", "/API/login", "http://localhost/api/login",
            "http://localhost//api;x/login", "HTTP://u:p@elsewhere:1/%61pi/login", "/api/login?x=/y", "/api/login?;",
            "/exact/login", "/exact/login/", "/exact//login", "/exact;a/login;b", "/exact/%6cogin", "/exact/./login/",
            "/exact/x/../login", "/exact%2flogin", "/exact/login%2f", "/exact/login%20", "/exact/login;/",
            "/items/1/price", "/items/1;x/price;y", "/items/a%2Fb/price", "/items;x/a%2Fb/price", "/items/%20/price",
            "/items/%31/price/", "/items/../items/1/price", "/items/;/1/price", "/items/1/;/price", "/items//;x/1/price",
            "/items/%2e%2e;/price", "/items/..;/price", "/items/1%2f/price", "/items/%3b/price", "/items;x/..%2fprice",
            "/items;x/%252e%252e/price",
            "/plain/one", "/plain//one", "/plain/one/", "/%70lain/one", "/plain;x/one", "/plain/%6fne", "/plain%2fone",
            "/files/a%20b.txt", "/files%2Fa%20b.txt", "/files/./a%20b.txt", "/files;x/a%20b.txt", "/x/..%2ffiles/a%20b.txt",
            "/files%2f..%2ffiles/a%20b.txt", "/%66iles/a%20b%2etxt", "//files//a%20b.txt", "/q/..%2ffiles%2fa%20b.txt",
            "/files/a;x=%2F../a%20b.txt", "/x;%2f..%2f..%2ffiles/a%20b.txt", "/files/;%5c..%5ca%20b.txt",
            "/files%5ca%20b.txt", "/api/%zz", "/api/%", "/api;%zz/login", "/x%2f..%2ffiles/a%20b.txt" })
    void whatIsServedIsCounted(String target) {
        String response = Wire.get(target);

        if (response.endsWith("served")) {
            assertThat(response).contains("RateLimit-Policy: \"spelled\"");
        } else {
            assertThat(response).containsAnyOf("HTTP/1.1 400", "HTTP/1.1 404", "elsewhere");
        }
    }

    /** Else the test above would hold where nothing is served at all. */
    @ParameterizedTest
    @ValueSource(strings = { "/api", "//api", "/x/../api/login", "/%61pi/login", "/api;x=1/login", "/api/login/",
            "http://localhost/api/login", "/exact/login/", "/exact;a/login;b", "/items/1;x/price;y", "/items/a%2Fb/price",
            "/items;x/..%2fprice", "/plain//one", "/files/a%20b.txt", "/files%2Fa%20b.txt" })
    void manySpellingsAreServed(String target) {
        assertThat(Wire.get(target)).startsWith("HTTP/1.1 200").endsWith("served");
    }

    @Test
    void http2IsNoDifferent() throws Exception {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        HttpRequest request = HttpRequest
                .newBuilder(URI.create("http://localhost:" + Wire.port() + "/%61pi;x=1//login")).build();

        client.send(request, BodyHandlers.ofString());
        HttpResponse<String> response = client.send(request, BodyHandlers.ofString());

        assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(response.body()).isEqualTo("served");
        assertThat(response.headers().firstValue("RateLimit-Policy")).isPresent();
    }

    @Path("/")
    public static class Api {
        @GET
        @Path("api")
        public String root() {
            return "served";
        }

        @GET
        @Path("api/login")
        public String login() {
            return "served";
        }

        @GET
        @Path("exact/login")
        public String exact() {
            return "served";
        }

        @GET
        @Path("items/{item}/price")
        public String price() {
            return "served";
        }

        @GET
        @Path("{any}/api/login")
        public String elsewhere() {
            return "elsewhere";
        }
    }

    @ApplicationScoped
    public static class Plain {
        void serve(@Observes Router router) {
            router.get("/plain/one").handler(context -> context.end("served"));
        }
    }
}
