package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertCountedOnce;
import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.restassured.RestAssured.get;
import static io.restassured.RestAssured.head;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
class RateLimitedPlacesTest {

    @Test
    void methodIsLimited() {
        assertCountedOnce("method", "GET", "/methods/limited");
    }

    @Test
    void policyIsCalledDefaultWhereNoneIsNamed() {
        assertCountedOnce("default", "GET", "/methods/default");
    }

    @Test
    void methodBesideALimitedOneIsUnlimited() {
        assertUnlimited(get("/methods/free"));
    }

    @Test
    void everyMethodOfALimitedClassIsLimited() {
        assertCountedOnce("class", "GET", "/class");
        assertCountedOnce("class", "GET", "/class/7");
    }

    @Test
    void methodsAnnotationReplacesThatOfItsClass() {
        assertCountedOnce("method", "GET", "/class/own");
    }

    @Test
    void unlimitedMethodOfALimitedClassIsExempt() {
        assertUnlimited(get("/class/unlimited"));
    }

    @Test
    void headCountsLikeGet() {
        assertThat(Limits.left(head("/methods/head"))).isEqualTo("\"method\";r=2");
        assertThat(Limits.left(get("/methods/head"))).isEqualTo("\"method\";r=1");
        assertThat(Limits.left(get("/methods/head"))).isEqualTo("\"method\";r=0");

        assertThat(head("/methods/head").statusCode()).isEqualTo(429);
        assertThat(head("/methods/head").asByteArray()).isEmpty();
    }

    @Test
    void methodOfAnOwnDesignatorIsLimited() {
        assertCountedOnce("method", "PURGE", "/methods/purge");
    }

    @Test
    void overloadedMethodsHaveTheirOwnLimits() {
        assertUnlimited(get("/methods/overloaded"));
        assertCountedOnce("method", "GET", "/methods/overloaded/1");
    }

    /** RESTEasy Classic serves only the methods that the interface declares. */
    @Test
    void methodsThatALimitedInterfaceDoesNotDeclareAreUnlimited() {
        assertUnlimited(get("/limited-contract/own"));
    }

    @Path("/methods")
    public static class OnMethods {
        @GET
        @Path("limited")
        @RateLimited("method")
        public String limited() {
            return "limited";
        }

        @GET
        @Path("default")
        @RateLimited
        public String byDefault() {
            return "default";
        }

        @GET
        @Path("free")
        public String free() {
            return "free";
        }

        @GET
        @Path("head")
        @RateLimited("method")
        public String head() {
            return "head";
        }

        @PURGE
        @Path("purge")
        @RateLimited("method")
        public String purge() {
            return "purged";
        }

        @GET
        @Path("overloaded")
        public String overloaded() {
            return "free";
        }

        @GET
        @Path("overloaded/{id}")
        @RateLimited("method")
        public String overloaded(@PathParam("id") int id) {
            return "limited";
        }
    }

    @Path("/class")
    @RateLimited("class")
    public static class OnClass {
        @GET
        public String all() {
            return "all";
        }

        @GET
        @Path("{id}")
        public String one(@PathParam("id") int id) {
            return "one";
        }

        @GET
        @Path("own")
        @RateLimited("method")
        public String own() {
            return "own";
        }

        @GET
        @Path("unlimited")
        @Unlimited
        public String unlimited() {
            return "unlimited";
        }
    }

    @HttpMethod("PURGE")
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    public @interface PURGE {
    }
}
