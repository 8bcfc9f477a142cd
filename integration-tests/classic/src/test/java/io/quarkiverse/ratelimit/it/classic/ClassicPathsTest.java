package io.quarkiverse.ratelimit.it.classic;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertCountedOnce;

import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyReader;
import jakarta.ws.rs.ext.Provider;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;

/** Inherited paths and methods are limited, also if RESTEasy calls the method of another type. */
@QuarkusTest
class ClassicPathsTest {

    @Test
    void inheritedPathIsServedByTheLimitedClass() {
        assertCountedOnce("base", "GET", "/based");
        assertCountedOnce("class", "GET", "/based/own");
    }

    @Test
    void genericMethodsAreLimited() {
        assertCountedOnce("generic-method", "POST", "/by-contract");
        assertCountedOnce("generic-method", "POST", "/by-path-of-contract");
        assertCountedOnce("generic-method", "POST", "/inheriting");
        assertCountedOnce("generic-method", "POST", "/overriding");
    }

    @Path("/based")
    public abstract static class PathBase {
        @GET
        @RateLimited("base")
        public String inherited() {
            return "inherited";
        }

        @GET
        @Path("own")
        public abstract String own();
    }

    @RateLimited("class")
    public static class Based extends PathBase {
        @Override
        public String own() {
            return "own";
        }
    }

    public interface Generic<T> {
        @POST
        @RateLimited("generic-method")
        String create(T created);
    }

    @Path("/by-contract")
    public static class ByContract implements Generic<String> {
        @Override
        public String create(String created) {
            return created;
        }
    }

    @Path("/by-path-of-contract")
    public interface GenericPath<T> extends Generic<T> {
    }

    public static class ByPathOfContract implements GenericPath<String> {
        @Override
        public String create(String created) {
            return created;
        }
    }

    /** Reads {@code Object}: RESTEasy does not resolve the type parameter of the interface. */
    @Provider
    public static class AnyReader implements MessageBodyReader<Object> {
        @Override
        public boolean isReadable(Class<?> type, Type generic, Annotation[] annotations, MediaType media) {
            return type == Object.class;
        }

        @Override
        public Object readFrom(Class<Object> type, Type generic, Annotation[] annotations, MediaType media,
                MultivaluedMap<String, String> headers, InputStream body) throws IOException {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    public abstract static class GenericBase<T> {
        @POST
        @RateLimited("generic-method")
        public String create(T created) {
            return created.toString();
        }
    }

    @Path("/inheriting")
    public static class Inheriting extends GenericBase<String> {
    }

    @Path("/overriding")
    public static class Overriding extends GenericBase<String> {
        @Override
        public String create(String created) {
            return created;
        }
    }
}
