package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertCountedOnce;
import static io.restassured.RestAssured.get;

import java.util.List;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.junit.QuarkusTest;

@QuarkusTest
public class GenericResourceTest {

    @Test
    void genericInterfaceMethodIsLimited() {
        assertCountedOnce("interface", "POST", "/by-contract");
    }

    @Test
    void implementationOfAGenericMethodIsLimited() {
        assertCountedOnce("method", "POST", "/by-method");
    }

    @Test
    void limitedClassLimitsTheGenericMethodItImplements() {
        assertCountedOnce("class", "POST", "/by-class");
    }

    @Test
    void inheritedGenericMethodIsLimited() {
        assertCountedOnce("base", "POST", "/generic-derived");
    }

    @Test
    void overriddenGenericMethodKeepsItsLimit() {
        assertCountedOnce("base", "POST", "/overriding");
    }

    @Test
    void overloadOfAGenericMethodIsUnlimited() {
        Limits.assertUnlimited(get("/by-method/overload"));
    }

    @Test
    void methodsWithArraysAndGenericParametersAreLimited() {
        assertCountedOnce("method", "POST", "/arrays");
        assertCountedOnce("method", "POST", "/arrays/list");
    }

    public interface Contract<T> {
        @POST
        @RateLimited("interface")
        String create(T created);
    }

    @Path("/by-contract")
    @ApplicationScoped
    public static class ByContract implements Contract<String> {
        @Override
        public String create(String created) {
            return created;
        }
    }

    public interface PlainContract<T extends CharSequence> {
        @POST
        String create(T created);
    }

    @Path("/by-method")
    @ApplicationScoped
    public static class ByMethod implements PlainContract<String> {
        @Override
        @RateLimited("method")
        public String create(String created) {
            return created;
        }

        @GET
        @Path("overload")
        public String create(@QueryParam("number") Integer number) {
            return "overload";
        }
    }

    @Path("/by-class")
    @RateLimited("class")
    public static class ByClass implements PlainContract<String> {
        @Override
        public String create(String created) {
            return created;
        }
    }

    public abstract static class Base<T> {
        @POST
        @RateLimited("base")
        public String create(T created) {
            return created.toString();
        }
    }

    @Path("/generic-derived")
    public static class Derived extends Base<String> {
    }

    @Path("/overriding")
    public static class Overriding extends Base<String> {
        @Override
        public String create(String created) {
            return created;
        }
    }

    @Path("/arrays")
    public static class Arrays {
        @POST
        @RateLimited("method")
        public String bytes(byte[] body) {
            return "bytes";
        }

        @POST
        @Path("list")
        @RateLimited("method")
        public String list(@QueryParam("item") List<String> items) {
            return "list";
        }
    }
}
