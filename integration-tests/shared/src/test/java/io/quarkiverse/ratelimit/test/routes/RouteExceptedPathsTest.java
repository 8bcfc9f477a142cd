package io.quarkiverse.ratelimit.test.routes;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkus.test.junit.QuarkusTest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.StaticHandler;

/** A route leaves out some of its paths. No spelling of such a path reaches another one without being counted. */
@QuarkusTest
class RouteExceptedPathsTest {

    private static final String COUNTED = "RateLimit-Policy: \"all-but-some\"";

    @ParameterizedTest
    @ValueSource(strings = { "/but/assets", "/but/assets/", "/but/assets/a.txt", "/but/assets/deep/a.txt", "/but/exact",
            "/but/exact/", "/but/one/free", "/but/relative", "/but/assets/a%20b.txt", "/but/assets/a.txt?x=/but/login",
            "/but/assets/a.txt;v=1", "/but/assets/caf%C3%A9.txt", "/but/assets/a%2Fb.txt", "/x/../but/assets/a.txt",
            "//but/assets/a.txt" })
    void exceptedPathIsNotLimited(String target) {
        assertThat(Wire.get(target)).startsWith("HTTP/1.1 200").doesNotContain("RateLimit").endsWith("excepted");
    }

    @ParameterizedTest
    @ValueSource(strings = { "/but", "/but/login", "/but/assetsx", "/but/exact/deeper", "/but/one/free/deeper",
            "/but/one/two/free", "/but/free", "/but/ASSETS/a.txt", "/but/files/secret.txt" })
    void otherPathsOfTheRouteAreLimited(String target) {
        assertThat(Wire.get(target)).startsWith("HTTP/1.1 200").contains(COUNTED).endsWith("served");
    }

    @ParameterizedTest
    @ValueSource(strings = {
            "/but/assets/../login", "/but/assets/%2e%2e/login", "/but/assets/..%2flogin", "/but/assets%2f..%2flogin",
            "/but/assets/.%2e/login", "/but/assets/..;/login", "/but/assets/..;x=1/login", "/but/assets;/../login",
            "/but/assets/%2e%2e;/login", "/but/assets/./../login", "/but/assets//../login", "/but/assets/a/../../login",
            "/but/assets/%2e%2e%2flogin", "/but/assets/x;/..%2f..%2flogin", "/but/;/assets/../login", "/but;/assets/../login",
            "/but/exact/../login", "/but/exact%2f..%2flogin", "/but/one/free/../../login", "/but/..%2fbut/login",
            "/but/login;/assets/x", "/but/login/..;/assets/../login", "/but/%61ssets/../login", "/but/login?/but/assets/a.txt",
            "/but/login#/but/assets", "http://localhost/but/assets/../login", "http://x/but/assets/..;/login",
            "http://but/assets/but/login", "/but//login", "/but/./login", "/%62ut/login", "//but//login", "/but/login/",
            "/but/login;x=/but/assets/", "/but/login;assets", "/but/assets/%252e%252e/login", "/but/assets/..%252flogin",
            "/but/assets%5c..%5clogin", "/but/assets/..%5clogin", "/but/assets\\..\\login", "/but/assets/..\\login",
            "/but/files/free%2f..%2fsecret.txt", "/but/files/free/../secret.txt", "/but/files/free/..;/secret.txt",
            "/but/files/..%2ffiles/secret.txt", "/but/assets/..%2ffiles/secret.txt", "/but/assets%2f..%2ffiles%2fsecret.txt",
            "/but/assets/..%5cfiles/secret.txt", "/but/assets%5c..%5cfiles%5csecret.txt",
            "/but/files%5c..%5cfiles%5csecret.txt", "/but/files/free%5c..%5csecret.txt", "/but/files/x%5c..%5csecret.txt",
            "/but/files/x\\..\\secret.txt", "/but/assets\\..\\files\\secret.txt",
            "/but/files/open/../secret.txt", "/but/files/open/..%2fsecret.txt", "/but/files/open/..%5csecret.txt",
            "/but/files/open/..\\secret.txt", "/but/files/open/x%5c..%5c..%5csecret.txt", "/but/files/open/..;/secret.txt",
            "/but/files/open/%2e%2e%5csecret.txt",
            "/but/files/open/;%2f..%2f..%2fsecret.txt", "/but/files/open/;%5c..%5c..%5csecret.txt",
            "/but/files/open/x;%2f../..%2fsecret.txt", "/but/files/open;%2f..%2fsecret.txt",
            "/but/files/open/a;x=%2f..%2f../secret.txt" })
    void noSpellingOfAnExceptedPathReachesAnotherOneUncounted(String target) {
        String response = Wire.get(target);

        if (response.endsWith("served")) {
            assertThat(response).contains(COUNTED);
        } else {
            assertThat(response).containsAnyOf("HTTP/1.1 400", "HTTP/1.1 404", "excepted");
        }
    }

    /** Else the test above would hold where nothing is served at all. */
    @ParameterizedTest
    @ValueSource(strings = { "/but/assets/../login", "/but/assets/%2e%2e/login", "/but/exact/../login", "/but;/login",
            "/but/files/x%5c..%5csecret.txt", "/but/files/x%2f..%2fsecret.txt", "/but/files/open/..%5csecret.txt",
            "/but/files/open/..%2fsecret.txt", "/but/files/open/;%2f..%2f..%2fsecret.txt" })
    void manySpellingsAreServed(String target) {
        assertThat(Wire.get(target)).startsWith("HTTP/1.1 200").contains(COUNTED).endsWith("served");
    }

    @Path("/but")
    public static class Resource {

        @GET
        public String root() {
            return "served";
        }

        @GET
        @Path("{any: .*}")
        public String any() {
            return "served";
        }

        @GET
        @Path("assets{any: (/.*)?}")
        public String asset() {
            return "excepted";
        }

        @GET
        @Path("exact")
        public String exact() {
            return "excepted";
        }

        @GET
        @Path("relative")
        public String relative() {
            return "excepted";
        }

        @GET
        @Path("{one}/free")
        public String free() {
            return "excepted";
        }
    }

    @ApplicationScoped
    public static class Files {

        void serve(@Observes Router router) {
            router.get("/but/files/*").handler(StaticHandler.create("META-INF/but"));
        }
    }
}
