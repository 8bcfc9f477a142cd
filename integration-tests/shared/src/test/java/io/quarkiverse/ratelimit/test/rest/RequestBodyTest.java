package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Arrays;

import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

import org.jboss.resteasy.reactive.RestForm;
import org.jboss.resteasy.reactive.multipart.FileUpload;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

@QuarkusTest
class RequestBodyTest {

    private static final byte[] MEGABYTE = new byte[1024 * 1024];

    @BeforeAll
    static void fill() {
        Arrays.fill(MEGABYTE, (byte) 'x');
    }

    @ParameterizedTest
    @ValueSource(strings = { "text", "uni", "bytes", "stream" })
    void bodyArrivesWholeAfterTheDecision(String path) {
        for (int call = 1; call <= 3; call++) {
            given().header("X-Path", path).contentType("text/plain").body(MEGABYTE).post("/bodies/" + path)
                    .then().statusCode(200);
        }

        var denied = given().header("X-Path", path).contentType("text/plain").body(MEGABYTE).post("/bodies/" + path);

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.jsonPath().getInt("status")).isEqualTo(429);
    }

    @Test
    void multipartFormArrivesWholeAfterTheDecision() {
        var response = given().multiPart("name", "large").multiPart("file", "large.txt", MEGABYTE).post("/bodies/form");

        assertThat(response.asString()).isEqualTo("large 1048576");
        assertThat(Limits.left(response)).isEqualTo("\"body\";r=2");
    }

    @Test
    void formParametersArriveAfterTheDecision() {
        var response = given().header("X-Path", "form").formParam("name", "small").post("/bodies/parameters");

        assertThat(response.asString()).isEqualTo("small");
        assertThat(Limits.left(response)).isEqualTo("\"body\";r=2");
    }

    @Path("/bodies")
    @RateLimited("body")
    public static class Bodies {
        @POST
        @Path("text")
        public String text(String body) {
            return expectMegabyte(body.length());
        }

        @POST
        @Path("uni")
        public Uni<String> uni(String body) {
            return Uni.createFrom().item(expectMegabyte(body.length()));
        }

        @POST
        @Path("bytes")
        public String bytes(byte[] body) {
            return expectMegabyte(body.length);
        }

        @POST
        @Path("stream")
        public String stream(InputStream body) throws IOException {
            return expectMegabyte(body.readAllBytes().length);
        }

        @POST
        @Path("form")
        public String form(@RestForm String name, @RestForm FileUpload file) throws IOException {
            return name + " " + Files.size(file.uploadedFile());
        }

        @POST
        @Path("parameters")
        public String parameters(@RestForm String name) {
            return name;
        }

        private static String expectMegabyte(int length) {
            if (length != 1024 * 1024) {
                throw new IllegalStateException("Only " + length + " bytes arrived");
            }
            return "whole";
        }
    }
}
