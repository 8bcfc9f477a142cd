package io.quarkiverse.ratelimit.it.classic;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertCountedOnce;

import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyReader;
import jakarta.ws.rs.ext.Provider;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.rest.GenericResourceTest.Contract;
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
    void genericMethodOfAnInheritedPathIsLimited() {
        assertCountedOnce("interface", "POST", "/by-path-of-contract");
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

    @Path("/by-path-of-contract")
    public interface GenericPath<T> extends Contract<T> {
    }

    public static class ByPathOfContract implements GenericPath<String> {
        @Override
        public String create(String created) {
            return created;
        }
    }

    /** Reads the bounds of type parameters, which RESTEasy does not resolve. */
    @Provider
    public static class AnyReader implements MessageBodyReader<Object> {
        @Override
        public boolean isReadable(Class<?> type, Type generic, Annotation[] annotations, MediaType media) {
            return type == Object.class || type == CharSequence.class;
        }

        @Override
        public Object readFrom(Class<Object> type, Type generic, Annotation[] annotations, MediaType media,
                MultivaluedMap<String, String> headers, InputStream body) throws IOException {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
