package io.quarkiverse.ratelimit.test.cdi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;
import kotlin.coroutines.Continuation;

/** Kotlin suspend functions, as the Kotlin compiler writes them, wherever their limit is declared. */
final class SuspendMistakes {

    private static final String HERE = SuspendMistakes.class.getName();
    private static final String SUSPEND = "(kotlin.coroutines.Continuation)";

    private SuspendMistakes() {
    }

    static void assertReported(String message) {
        assertThat(message.lines().filter(line -> line.startsWith("- ") && line.contains(HERE))).containsExactlyInAnyOrder(
                ofClass("Limited", "Limited#direct(java.lang.String,kotlin.coroutines.Continuation)"),
                ofClass("Limited", "Inheriting#added" + SUSPEND),
                ofClass("Base", "Base#inherited" + SUSPEND),
                ofClass("Contract", "Implementing#promised" + SUSPEND),
                ofClass("Contract", "Contract#byDefault" + SUSPEND),
                ofClass("Subclass", "Unannotated#free" + SUSPEND),
                ofClass("Resource", "Resource#served" + SUSPEND),
                ofClass("Client", "Client#sent" + SUSPEND),
                "- @RateLimited on " + HERE + "$Own#own" + SUSPEND + " has no effect, as a Kotlin suspend function"
                        + " cannot be limited. Let it return a Uni instead.",
                "- @RateLimited on " + HERE + "$Own#hidden() has no effect, as a private method cannot be intercepted."
                        + " Make it at least package-private, or limit the method that calls it.");
    }

    private static String ofClass(String annotated, String method) {
        return "- @RateLimited on " + HERE + "$" + annotated + " has no effect on " + HERE + "$" + method
                + ", as a Kotlin suspend function cannot be limited. Let it return a Uni instead, or exempt it with @Unlimited.";
    }

    @ApplicationScoped
    @RateLimited("class")
    public static class Limited {

        Object direct(String parameter, Continuation<Object> rest) {
            return parameter;
        }

        @Unlimited
        Object exempt(Continuation<Object> rest) {
            return "exempt";
        }

        Object acquiresOne(Continuation<Object> rest, String parameter) {
            return parameter;
        }

        private Object hidden(Continuation<Object> rest) {
            return "hidden";
        }

        static Object shared(Continuation<Object> rest) {
            return "shared";
        }

        String plain() {
            return "plain";
        }
    }

    @ApplicationScoped
    public static class Inheriting extends Limited {
        Object added(Continuation<Object> rest) {
            return "added";
        }
    }

    @RateLimited("class")
    public abstract static class Base {

        Object inherited(Continuation<Object> rest) {
            return "inherited";
        }

        abstract Object exempted(Continuation<Object> rest);
    }

    @ApplicationScoped
    public static class Concrete extends Base {
        @Override
        @Unlimited
        Object exempted(Continuation<Object> rest) {
            return "exempted";
        }
    }

    @RateLimited("interface")
    public interface Contract {

        Object promised(Continuation<Object> rest);

        default Object byDefault(Continuation<Object> rest) {
            return "default";
        }
    }

    @ApplicationScoped
    public static class Implementing implements Contract {
        @Override
        public Object promised(Continuation<Object> rest) {
            return "promised";
        }
    }

    public static class Unannotated {
        Object free(Continuation<Object> rest) {
            return "free";
        }
    }

    @ApplicationScoped
    @RateLimited("class")
    public static class Subclass extends Unannotated {
    }

    @Path("/resource")
    @RateLimited("class")
    public static class Resource {
        @GET
        public Object served(Continuation<Object> rest) {
            return "served";
        }
    }

    @Path("/client")
    @RegisterRestClient(baseUri = "http://localhost")
    @RateLimited("client")
    public interface Client {
        @GET
        Object sent(Continuation<Object> rest);
    }

    @ApplicationScoped
    public static class Own {

        @RateLimited("own")
        Object own(Continuation<Object> rest) {
            return "own";
        }

        @RateLimited("own")
        private void hidden() {
        }
    }
}
