package io.quarkiverse.ratelimit.test.rest;

import static io.quarkiverse.ratelimit.test.rest.Limits.assertCountedOnce;
import static io.quarkiverse.ratelimit.test.rest.Limits.assertUnlimited;
import static io.restassured.RestAssured.get;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkus.test.junit.QuarkusTest;

/** Annotations of interfaces and superclasses apply. */
@QuarkusTest
class InheritedLimitsTest {

    @Test
    void interfaceMethodIsLimited() {
        assertCountedOnce("interface-method", "GET", "/contract/limited");
        assertUnlimited(get("/contract/free"));
    }

    @Test
    void implementingMethodReplacesTheInterfacesPolicy() {
        assertCountedOnce("method", "GET", "/contract/replaced");
    }

    @Test
    void implementingMethodExemptsItself() {
        assertUnlimited(get("/contract/exempt"));
    }

    @Test
    void defaultMethodIsLimited() {
        assertCountedOnce("interface-method", "GET", "/contract/default");
    }

    @Test
    void methodsOfALimitedInterfaceAreLimited() {
        assertCountedOnce("interface", "GET", "/limited-contract");
    }

    @Test
    void limitsOfTheClassMeetPathsOfTheInterface() {
        assertCountedOnce("class", "GET", "/plain-contract");
        assertCountedOnce("method", "GET", "/plain-contract/method");
    }

    @Test
    void inheritedMethodsAreLimitedByTheirClass() {
        assertCountedOnce("base", "GET", "/derived");
        assertCountedOnce("base-method", "GET", "/derived/method");
        assertUnlimited(get("/derived/unlimited"));
    }

    @Test
    void overridingMethodsKeepTheLimit() {
        assertCountedOnce("base-method", "GET", "/derived/overridden");
        assertCountedOnce("method", "GET", "/derived/replaced");
    }

    @Test
    void limitedClassLimitsWhatItInherits() {
        assertCountedOnce("class", "GET", "/limited-derived");
        assertUnlimited(get("/free-base"));
    }

    @Test
    void methodThatCallsTheInheritedOneIsChargedOnce() {
        assertCountedOnce("base", "GET", "/calls-base");
        assertCountedOnce("class", "GET", "/calls-base/own");
    }

    public interface Contract {
        @GET
        @Path("limited")
        @RateLimited("interface-method")
        String limited();

        @GET
        @Path("free")
        String free();

        @GET
        @Path("replaced")
        @RateLimited("interface-method")
        String replaced();

        @GET
        @Path("exempt")
        @RateLimited("interface-method")
        String exempt();

        @GET
        @Path("default")
        @RateLimited("interface-method")
        default String byDefault() {
            return "default";
        }
    }

    @Path("/contract")
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

    @Path("/limited-contract")
    @RateLimited("interface")
    public interface LimitedContract {
        @GET
        String limited();
    }

    public static class ImplementationOfLimited implements LimitedContract {
        @Override
        public String limited() {
            return "limited";
        }

        @GET
        @Path("own")
        public String own() {
            return "own";
        }
    }

    @Path("/plain-contract")
    public interface PlainContract {
        @GET
        String byClass();

        @GET
        @Path("method")
        String byMethod();
    }

    @RateLimited("class")
    public static class LimitedClass implements PlainContract {
        @Override
        public String byClass() {
            return "class";
        }

        @Override
        @RateLimited("method")
        public String byMethod() {
            return "method";
        }
    }

    @RateLimited("base")
    public abstract static class Base {
        @GET
        public String inherited() {
            return "inherited";
        }

        @GET
        @Path("method")
        @RateLimited("base-method")
        public String method() {
            return "method";
        }

        @GET
        @Path("unlimited")
        @Unlimited
        public String unlimited() {
            return "unlimited";
        }

        @GET
        @Path("overridden")
        @RateLimited("base-method")
        public abstract String overridden();

        @GET
        @Path("replaced")
        @RateLimited("base-method")
        public abstract String replaced();
    }

    @Path("/derived")
    public static class Derived extends Base {
        @Override
        public String overridden() {
            return "overridden";
        }

        @Override
        @RateLimited("method")
        public String replaced() {
            return "replaced";
        }
    }

    @Path("/free-base")
    public static class FreeBase {
        @GET
        public String inherited() {
            return "inherited";
        }
    }

    @Path("/limited-derived")
    @RateLimited("class")
    public static class LimitedDerived extends FreeBase {
    }

    @RateLimited("base")
    public abstract static class LimitedBase {
        @GET
        public String inherited() {
            return "inherited";
        }
    }

    @Path("/calls-base")
    @RateLimited("class")
    public static class CallsBase extends LimitedBase {
        @Override
        @RateLimited("base")
        public String inherited() {
            return super.inherited();
        }

        @GET
        @Path("own")
        public String own() {
            return "own";
        }
    }
}
