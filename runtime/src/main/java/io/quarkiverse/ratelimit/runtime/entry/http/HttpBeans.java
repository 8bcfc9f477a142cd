package io.quarkiverse.ratelimit.runtime.entry.http;

import java.util.List;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;

import org.eclipse.microprofile.config.ConfigProvider;
import org.jboss.logging.Logger;

import io.quarkiverse.ratelimit.RateLimitException;
import io.quarkiverse.ratelimit.runtime.caller.address.AddressForm;
import io.quarkiverse.ratelimit.runtime.caller.address.CallerAddresses;
import io.quarkiverse.ratelimit.runtime.engine.limits.InvalidCost;
import io.quarkiverse.ratelimit.runtime.entry.denial.Denial;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig;
import io.quarkiverse.ratelimit.runtime.policy.settings.Settings;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.vertx.http.runtime.VertxHttpBuildTimeConfig;
import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.Router;

/** Registers what limits and answers HTTP requests, whatever serves them. */
@Singleton
public class HttpBeans {

    private static final Logger LOG = Logger.getLogger("io.quarkiverse.ratelimit");

    void warnOfAddresses(@Observes StartupEvent started, Settings settings, CallerAddresses addresses) {
        if (settings.needsAddresses()) {
            for (String warning : addresses.warnings()) {
                LOG.warn(warning);
            }
        }
    }

    /** Only registers the filter. The first request creates it, after the application has started. */
    void limitRoutes(@Observes Filters filters, RateLimitConfig config, RouteFilter routes) {
        if (!config.routes().isEmpty()) {
            filters.register(routes::decide, RouteFilter.PRIORITY);
        }
    }

    /**
     * Responds where no REST server maps exceptions, such as in reactive routes. Runs after all failure handlers of the
     * application and before that of Quarkus, which is the last. The router exists before the configuration can be read.
     */
    void respondToDenials(@Observes Router router, Instance<LimitedRequest.Shared> shared) {
        router.route().order(Integer.MAX_VALUE - 1).failureHandler(routing -> {
            if (routing.failure() == Work.CLIENT_HAS_LEFT) {
                return;
            }
            RateLimitException denial = Denial.in(routing.failure());
            if (routing.failure() instanceof InvalidCost.OfRequest invalid && !routing.response().headWritten()) {
                routing.response().setStatusCode(400).putHeader(HttpHeaders.CONTENT_TYPE, DenialResponse.CONTENT_TYPE)
                        .end(DenialResponse.invalidCost(invalid));
                // other failures may happen after the application has stopped, and its beans with it
            } else if (denial == null || routing.response().headWritten()) {
                routing.next();
            } else {
                LimitedRequest.of(routing, Work.UNKNOWN, shared.get()).response(denial).send(routing);
            }
        });
    }

    @Produces
    @Singleton
    CallerAddresses addresses(Settings settings, VertxHttpConfig http, VertxHttpBuildTimeConfig atBuildTime) {
        List<String> trustedProxies = ConfigProvider.getConfig()
                .getOptionalValues("quarkus.http.proxy.trusted-proxies", String.class).orElse(List.of());
        return new CallerAddresses(http, trustedProxies, settings.addressHeader(), settings.proxyHops(),
                new AddressForm(settings.ipv6Prefix()), RoutePaths.frameworkPaths(atBuildTime));
    }
}
