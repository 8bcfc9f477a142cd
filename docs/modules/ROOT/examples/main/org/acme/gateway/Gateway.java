package org.acme.gateway;

import java.net.URI;
import java.util.Map;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

import io.smallrye.config.ConfigMapping;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.ext.web.Router;
import io.vertx.httpproxy.HttpProxy;

// tag::gateway[]
/** Forwards {@code /<service>/...} to the service. */
@ApplicationScoped
public class Gateway {

    @ConfigMapping(prefix = "gateway")
    interface Targets {
        Map<String, URI> services();
    }

    void forward(@Observes Router router, Vertx vertx, Targets targets) {
        HttpClient client = vertx.createHttpClient();
        targets.services().forEach((service, target) -> {
            HttpProxy proxy = HttpProxy.reverseProxy(client).origin(target.getPort(), target.getHost());
            router.route("/" + service + "/*").handler(context -> proxy.handle(context.request()));
        });
    }
}
// end::gateway[]
