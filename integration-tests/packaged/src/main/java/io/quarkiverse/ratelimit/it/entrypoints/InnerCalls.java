package io.quarkiverse.ratelimit.it.entrypoints;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.eclipse.microprofile.rest.client.inject.RestClient;

import io.quarkiverse.langchain4j.RegisterAiService;
import io.quarkiverse.ratelimit.RateLimitPolicy;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.RateLimiter;
import io.quarkus.vertx.web.Param;
import io.quarkus.vertx.web.Route;
import io.quarkus.vertx.web.Route.HandlerType;
import io.quarkus.vertx.web.Route.HttpMethod;
import io.quarkus.vertx.web.RouteBase;
import io.smallrye.mutiny.Uni;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.mutiny.core.eventbus.EventBus;

/** Routes that call, or show, what is limited inside of the application. */
@RouteBase(path = "inner")
public class InnerCalls {

    @Inject
    Advisor advisor;

    @RestClient
    Rates rates;

    @Inject
    @RateLimitPolicy("once")
    RateLimiter limiter;

    @Inject
    EventBus bus;

    @Route(methods = HttpMethod.GET, type = HandlerType.BLOCKING)
    String advice() {
        return advisor.advise("Shall I send it?");
    }

    @Route(methods = HttpMethod.GET, type = HandlerType.BLOCKING)
    String rate() {
        return rates.ofToday();
    }

    @Route(methods = HttpMethod.GET, type = HandlerType.BLOCKING)
    String code() {
        return limiter.forKey("inner").acquireOrThrow().policy();
    }

    @Route(path = "bus/:address", methods = HttpMethod.GET)
    Uni<String> bus(@Param String address) {
        return bus.<String> request(address, "hello").map(reply -> reply.body())
                .onFailure(ReplyException.class)
                .recoverWithItem(failure -> "failure " + ((ReplyException) failure).failureCode());
    }

    @Route(methods = HttpMethod.GET)
    String runs() {
        return Cleanup.RUNS + " allowed, " + (Cleanup.DENIED.get() > 0 ? "others" : "none") + " denied";
    }

    @Route(methods = HttpMethod.GET)
    String letters() {
        return String.join(",", Letters.READ);
    }

    /** Is limited by the tokens that its model uses. */
    @RegisterAiService
    @RateLimited("tokens")
    public interface Advisor {

        String advise(String question);
    }

    /** Calls another service. */
    @RegisterRestClient(configKey = "rates")
    @Path("/rates")
    public interface Rates {

        @GET
        @RateLimited("once")
        String ofToday();
    }
}
