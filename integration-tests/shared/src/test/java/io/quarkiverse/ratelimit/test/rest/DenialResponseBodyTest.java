package io.quarkiverse.ratelimit.test.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyWriter;
import jakarta.ws.rs.ext.Provider;
import jakarta.ws.rs.ext.WriterInterceptor;
import jakarta.ws.rs.ext.WriterInterceptorContext;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.fixtures.Profiles;
import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;

/** Filters, writers and interceptors of an application change denials as they change any other response. */
@QuarkusTest
@TestProfile(Profiles.Providers.class)
class DenialResponseBodyTest {

    private static final String TYPE = "application/problem+json";

    private static Response denied(String change) {
        RequestSpecification request = given().header("X-Path", change).header("X-Change", change);
        for (int call = 1; call <= 3; call++) {
            assertThat(request.get("/written").statusCode()).isEqualTo(200);
        }
        return request.get("/written");
    }

    @Test
    void responseFilterMayReplaceTheBody() {
        Response denied = denied("number");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.asString()).isEqualTo("42");
    }

    @Test
    void responseFilterMayReplaceTheBodyAndItsType() {
        Response denied = denied("bytes");

        assertThat(denied.contentType()).isEqualTo("application/octet-stream");
        assertThat(denied.asString()).isEqualTo("bytes");
    }

    @Test
    void responseFilterMayReplaceTheStatus() {
        assertThat(denied("status").statusCode()).isEqualTo(420);
    }

    @Test
    void ownWriterAndInterceptorOfWritersWriteTheBody() {
        Response denied = denied("none");

        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.contentType()).isEqualTo(TYPE);
        assertThat(denied.asString()).startsWith("Hello {\"type\":").endsWith("} end");
    }

    @Path("/written")
    public static class Resource {
        @GET
        @RateLimited("written")
        public String quote() {
            return "quote";
        }
    }

    @IfBuildProperty(name = Profiles.Providers.PROPERTY, stringValue = "true")
    @Provider
    public static class Changes implements ContainerResponseFilter {
        @Override
        public void filter(ContainerRequestContext request, ContainerResponseContext response) {
            if (response.getStatus() != 429 || request.getHeaderString("X-Change") == null) {
                return;
            }
            switch (request.getHeaderString("X-Change")) {
                case "number" -> response.setEntity(42, null, MediaType.TEXT_PLAIN_TYPE);
                case "bytes" -> response.setEntity("bytes".getBytes(StandardCharsets.UTF_8), null,
                        MediaType.APPLICATION_OCTET_STREAM_TYPE);
                case "status" -> response.setStatus(420);
                default -> {
                }
            }
        }
    }

    @IfBuildProperty(name = Profiles.Providers.PROPERTY, stringValue = "true")
    @Provider
    public static class Ends implements WriterInterceptor {
        @Override
        public void aroundWriteTo(WriterInterceptorContext context) throws IOException {
            if (context.getEntity() instanceof String text && TYPE.equals(String.valueOf(context.getMediaType()))) {
                context.setEntity(text + " end");
            }
            context.proceed();
        }
    }

    @IfBuildProperty(name = Profiles.Providers.PROPERTY, stringValue = "true")
    @Provider
    @Produces(TYPE)
    public static class Greeted implements MessageBodyWriter<String> {
        @Override
        public boolean isWriteable(Class<?> type, Type generic, Annotation[] annotations, MediaType mediaType) {
            return true;
        }

        @Override
        public void writeTo(String text, Class<?> type, Type generic, Annotation[] annotations, MediaType mediaType,
                MultivaluedMap<String, Object> headers, OutputStream out) throws IOException {
            String greeting = TYPE.equals(String.valueOf(mediaType)) ? "Hello " : "";
            out.write((greeting + text).getBytes(StandardCharsets.UTF_8));
        }
    }
}
