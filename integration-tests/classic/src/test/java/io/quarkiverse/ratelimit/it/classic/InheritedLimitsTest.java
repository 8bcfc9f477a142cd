package io.quarkiverse.ratelimit.it.classic;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertCountedOnce;
import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.restassured.RestAssured.get;

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
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkiverse.ratelimit.test.rest.Limits;
import io.quarkus.test.QuarkusUnitTest;

/** Annotations of interfaces and superclasses apply, also when RESTEasy calls the method of another type. */
class InheritedLimitsTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Limits.class, Contract.class, Implementation.class, Base.class,
                    Derived.class, PathBase.class, Based.class, Generic.class, ByContract.class, GenericPath.class,
                    ByPathOfContract.class, AnyReader.class, GenericBase.class, Inheriting.class, Overriding.class))
            .withConfiguration(Limits.threeForEachPath("interface", "method", "class", "base", "generic"));

    @Test
    void interfaceMethodIsLimited() {
        assertCountedOnce("interface", "GET", "/contract/limited");
        assertCountedOnce("interface", "GET", "/contract/default");
        assertUnlimited(get("/contract/free"));
    }

    @Test
    void implementingMethodReplacesTheInterfacesPolicy() {
        assertCountedOnce("method", "GET", "/contract/replaced");
        assertUnlimited(get("/contract/exempt"));
    }

    @Test
    void inheritedMethodsAreLimited() {
        assertCountedOnce("base", "GET", "/derived");
        assertCountedOnce("base", "GET", "/derived/overridden");
        assertCountedOnce("class", "GET", "/derived/own");
    }

    @Test
    void inheritedPathIsServedByTheLimitedClass() {
        assertCountedOnce("base", "GET", "/based");
        assertCountedOnce("class", "GET", "/based/own");
    }

    @Test
    void genericMethodsAreLimited() {
        assertCountedOnce("generic", "POST", "/by-contract");
        assertCountedOnce("generic", "POST", "/by-path-of-contract");
        assertCountedOnce("generic", "POST", "/inheriting");
        assertCountedOnce("generic", "POST", "/overriding");
    }

    @Path("/contract")
    public interface Contract {
        @GET
        @Path("limited")
        @RateLimited("interface")
        String limited();

        @GET
        @Path("free")
        String free();

        @GET
        @Path("replaced")
        @RateLimited("interface")
        String replaced();

        @GET
        @Path("exempt")
        @RateLimited("interface")
        String exempt();

        @GET
        @Path("default")
        @RateLimited("interface")
        default String byDefault() {
            return "default";
        }
    }

    public static class Implementation implements Contract {
        @Override
        public String limited() {
            return "limited";
        }

        @Override
        public String free() {
            return "free";
        }

        @Override
        @RateLimited("method")
        public String replaced() {
            return "replaced";
        }

        @Override
        @Unlimited
        public String exempt() {
            return "exempt";
        }
    }

    @RateLimited("base")
    public abstract static class Base {
        @GET
        public String inherited() {
            return "inherited";
        }

        @GET
        @Path("overridden")
        @RateLimited("base")
        public String overridden() {
            return "base";
        }
    }

    @Path("/derived")
    @RateLimited("class")
    public static class Derived extends Base {
        @Override
        @RateLimited("base")
        public String inherited() {
            return super.inherited();
        }

        @Override
        public String overridden() {
            return "overridden";
        }

        @GET
        @Path("own")
        public String own() {
            return "own";
        }
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
        @RateLimited("generic")
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
        @RateLimited("generic")
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
