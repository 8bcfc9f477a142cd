package io.quarkiverse.ratelimit.it.classic;

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
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.test.rest.Limits;
import io.quarkus.test.QuarkusUnitTest;

/** Sub-resources are limited, whether or not they are beans or have interceptors. */
class SubResourceTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClasses(Limits.class, Root.class, Contract.class, Methods.class, Limited.class,
                    Intercepted.class))
            .withConfiguration(Limits.threeForEachPath("method", "class", "interface", "root", "bean"));

    @Test
    void methodsOfASubResourceAreLimited() {
        assertCountedOnce("method", "GET", "/root/methods/limited");
        assertCountedOnce("method", "GET", "/root/methods/stage");
        assertCountedOnce("interface", "GET", "/root/methods/contract");
        assertUnlimited(get("/root/methods/free"));
    }

    @Test
    void beanIsLimited() {
        assertCountedOnce("class", "GET", "/root/bean");
    }

    @Test
    void beanWithInterceptorsIsLimited() {
        assertCountedOnce("method", "GET", "/root/intercepted");
    }

    @Test
    void classOfTheLocatorLimitsItsOwnMethodsOnly() {
        assertCountedOnce("root", "GET", "/root");
    }

    @Path("/root")
    @RateLimited("root")
    public static class Root {

        @Inject
        Limited limited;

        @Inject
        Intercepted intercepted;

        @GET
        public String root() {
            return "root";
        }

        @Path("methods")
        public Methods methods() {
            return new Methods();
        }

        @Path("bean")
        public Limited limited() {
            return limited;
        }

        @Path("intercepted")
        public Intercepted intercepted() {
            return intercepted;
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

    @ApplicationScoped
    @RateLimited("class")
    public static class Limited {
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

        @RateLimited("bean")
        public void makesThisAClassWithASubclass() {
        }
    }
}
