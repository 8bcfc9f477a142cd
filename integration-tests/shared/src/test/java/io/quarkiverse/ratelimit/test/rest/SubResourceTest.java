package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertCountedOnce;
import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.restassured.RestAssured.get;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;

@QuarkusTest
class SubResourceTest {

    @Test
    void methodOfASubResourceIsLimited() {
        assertCountedOnce("method", "GET", "/root/methods/limited");
        assertUnlimited(get("/root/methods/free"));
    }

    @Test
    void reactiveMethodOfASubResourceIsLimited() {
        assertCountedOnce("method", "GET", "/root/methods/uni");
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
        @Path("uni")
        @RateLimited("method")
        public Uni<String> uni() {
            return Uni.createFrom().item("uni");
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
}
