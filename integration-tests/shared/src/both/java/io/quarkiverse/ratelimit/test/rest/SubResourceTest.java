package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertCountedOnce;
import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.restassured.RestAssured.get;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;

/** Sub-resources are limited, also those that are beans, with or without interceptors. */
@QuarkusTest
class SubResourceTest {

    @Test
    void methodOfASubResourceIsLimited() {
        assertCountedOnce("method", "GET", "/root/methods/limited");
        assertUnlimited(get("/root/methods/free"));
    }

    @Test
    void reactiveMethodOfASubResourceIsLimited() {
        assertCountedOnce("method", "GET", "/root/methods/stage");
    }

    @Test
    void interfaceMethodOfASubResourceIsLimited() {
        assertCountedOnce("interface", "GET", "/root/methods/contract");
    }

    @Test
    void subResourceClassIsLimited() {
        assertCountedOnce("class", "GET", "/root/class");
    }

    @Test
    void classOfTheLocatorLimitsItsOwnMethodsOnly() {
        assertCountedOnce("root", "GET", "/root");
    }

    @Test
    void beanIsLimited() {
        assertCountedOnce("class", "GET", "/beans/limited");
    }

    @Test
    void beanWithInterceptorsIsLimited() {
        assertCountedOnce("method", "GET", "/beans/intercepted");
    }

    @Path("/root")
    @RateLimited("root")
    public static class Root {
        @GET
        public String root() {
            return "root";
        }

        @Path("methods")
        public Methods methods() {
            return new Methods();
        }

        @Path("class")
        public Limited limited() {
            return new Limited();
        }
    }

    public interface Contract {
        @GET
        @Path("contract")
        @RateLimited("interface")
        String contract();
    }

    public static class Methods implements Contract {
        @GET
        @Path("limited")
        @RateLimited("method")
        public String limited() {
            return "limited";
        }

        @GET
        @Path("stage")
        @RateLimited("method")
        public CompletionStage<String> stage() {
            return CompletableFuture.supplyAsync(() -> "stage");
        }

        @GET
        @Path("free")
        public String free() {
            return "free";
        }

        @Override
        public String contract() {
            return "contract";
        }
    }

    @RateLimited("class")
    public static class Limited {
        @GET
        public String limited() {
            return "limited";
        }
    }

    @Path("/beans")
    public static class Beans {

        @Inject
        LimitedBean limited;

        @Inject
        Intercepted intercepted;

        @Path("limited")
        public LimitedBean limited() {
            return limited;
        }

        @Path("intercepted")
        public Intercepted intercepted() {
            return intercepted;
        }
    }

    @ApplicationScoped
    @RateLimited("class")
    public static class LimitedBean {
        @GET
        public String limited() {
            return "limited";
        }
    }

    @Singleton
    public static class Intercepted {
        @GET
        @RateLimited("method")
        public String limited() {
            return "limited";
        }

        @RateLimited("root")
        public void makesThisAClassWithASubclass() {
        }
    }
}
