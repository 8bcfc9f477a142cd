package io.quarkiverse.ratelimit.runtime.caller.address;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import io.quarkiverse.ratelimit.runtime.caller.HttpCaller;
import io.quarkiverse.ratelimit.runtime.store.redis.fixtures.CapturedLog;
import io.quarkus.vertx.http.runtime.VertxHttpConfig;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;

/** The address of a caller that sends a request over a real connection, with the headers and preambles of proxies. */
class CallerAddressesOverHttpTest {

    private static final String PROXY = "quarkus.http.proxy.";

    private final Vertx vertx = Vertx.vertx();
    private int port;

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** Trusted proxies have no effect unless forwarding is on. */
    @Test
    void withoutForwardingTheCallerIsTheOtherEndOfTheConnection() throws IOException {
        serve(Map.of(PROXY + "trusted-proxies", "127.0.0.1"));

        try (CapturedLog log = new CapturedLog()) {
            assertThat(send("127.0.0.1", "", "/who", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.1");
            assertThat(send("127.0.0.2", "", "/who", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.2");
            assertThat(send("127.0.0.1", "", "/stranger", "Forwarded: for=203.0.113.7")).isEqualTo("true");
            assertThat(send("127.0.0.1", "", "/stranger")).isEqualTo("false");
            assertThat(log.messages("A request came with X-Forwarded-For")).as("once").hasSize(1);
        }
    }

    @Test
    void forwardingWithoutTrustedProxiesCausesOneWarning() throws IOException {
        serve(Map.of(PROXY + "proxy-address-forwarding", "true"));

        try (CapturedLog log = new CapturedLog()) {
            for (int i = 0; i < 3; i++) {
                assertThat(send("127.0.0.2", "", "/who", "X-Forwarded-For: 203.0.113.7")).isEqualTo("127.0.0.2");
            }
            assertThat(log.messages("")).singleElement().asString()
                    .contains("callers behind the proxy that sent it share one address");
        }
    }

    @Test
    void standardHeaderNamesTheCallerWhereItIsAllowed() throws IOException {
        serve(Map.of(PROXY + "proxy-address-forwarding", "true", PROXY + "allow-forwarded", "true",
                PROXY + "trusted-proxies", "127.0.0.1"));

        assertThat(send("127.0.0.1", "", "/who", "Forwarded: for=9.9.9.9, for=\"203.0.113.7:80\";proto=https"))
                .isEqualTo("203.0.113.7");
        assertThat(send("127.0.0.1", "", "/who", "Forwarded: for=\"[2001:db8:1:2::7]:80\"")).isEqualTo("2001:db8:1:2::/64");
        assertThat(send("127.0.0.1", "", "/who", "X-Forwarded-For: 203.0.113.7")).as("not allowed besides")
                .isEqualTo("127.0.0.1");
        assertThat(send("127.0.0.2", "", "/who", "Forwarded: for=203.0.113.7")).as("of an untrusted sender")
                .isEqualTo("127.0.0.2");
    }

    @Test
    void trustedProxyThatSendsNoAddressCausesOneWarning() throws IOException {
        Map<String, String> forwarding = Map.of(PROXY + "proxy-address-forwarding", "true", PROXY + "trusted-proxies",
                "127.0.0.1");
        for (String sent : List.of("X-Other: 203.0.113.7", "X-Forwarded-For: ,", "X-Forwarded-For: unknown",
                "Forwarded: for=203.0.113.7")) {
            serve(forwarding);

            assertThat(warnings(sent)).as(sent).singleElement().asString().contains("X-Forwarded-For", "share one count");
        }
        serve(forwarding);
        assertThat(warnings("X-Forwarded-For: 203.0.113.7")).isEmpty();
    }

    @Test
    void trustedProxyWithoutTheAddressHeaderCausesOneWarning() throws IOException {
        Map<String, String> trusted = Map.of(PROXY + "trusted-proxies", "127.0.0.1");
        for (String sent : List.of("X-Other: 203.0.113.7", "X-Forwarded-For: 203.0.113.7", "X-Real-IP: unknown",
                "X-Real-IP: 203.0.113.7, 203.0.113.7")) {
            serve(trusted, "X-Real-IP");

            assertThat(warnings(sent)).as(sent).singleElement().asString().contains("X-Real-IP", "share one count");
        }
        serve(trusted, "X-Real-IP");
        assertThat(warnings("X-Real-IP: 203.0.113.7")).isEmpty();
    }

    /** The warnings of several requests with this header, and of as many from an address that is not trusted. */
    private List<String> warnings(String header) throws IOException {
        try (CapturedLog log = new CapturedLog()) {
            send("127.0.0.1", "", "/q/who");
            send("127.0.0.2", "", "/who");
            assertThat(log.messages("")).as("not for a health check, and not for others").isEmpty();
            for (int i = 0; i < 3; i++) {
                send("127.0.0.1", "", "/who", header);
            }
            return log.messages("");
        }
    }

    @Test
    void proxyProtocolNamesTheCaller() throws IOException {
        serve(Map.of(PROXY + "use-proxy-protocol", "true"));

        assertThat(send("127.0.0.1", "PROXY TCP4 203.0.113.7 127.0.0.1 5678 80\r\n", "/who")).isEqualTo("203.0.113.7");
        assertThat(send("127.0.0.1", "PROXY TCP6 2001:db8:1:2::7 ::1 5678 80\r\n", "/who")).isEqualTo("2001:db8:1:2::/64");
        assertThat(send("127.0.0.1", "PROXY TCP4 203.0.113.7 127.0.0.1 5678 80\r\n", "/who", "X-Forwarded-For: 9.9.9.9"))
                .as("headers do not count").isEqualTo("203.0.113.7");
    }

    private void serve(Map<String, String> properties) {
        serve(properties, null);
    }

    private void serve(Map<String, String> properties, String addressHeader) {
        Map<String, String> all = new HashMap<>(properties);
        all.putAll(Map.of("quarkus.http.host", "localhost", "java.io.tmpdir", "target"));
        VertxHttpConfig http = new SmallRyeConfigBuilder().addDefaultInterceptors().addDiscoveredConverters()
                .withDefaultValues(all).withMapping(VertxHttpConfig.class).build().getConfigMapping(VertxHttpConfig.class);
        String trusted = properties.get(PROXY + "trusted-proxies");
        CallerAddresses addresses = new CallerAddresses(http, trusted == null ? List.of() : List.of(trusted),
                addressHeader, 0, new AddressForm(64), path -> path.startsWith("/q/"));
        Router router = Router.router(vertx);
        router.getWithRegex("(/q)?/who")
                .handler(routing -> routing
                        .end(String.valueOf(new HttpCaller(routing, addresses, routing::pathParam).address())));
        router.get("/stranger").handler(routing -> routing
                .end(String.valueOf(!new HttpCaller(routing, addresses, routing::pathParam)
                        .isFrom(List.of(IpAddress.block("0.0.0.0/0"))))));
        HttpServer server = vertx.createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0)
                .setUseProxyProtocol(http.proxy().useProxyProtocol())).requestHandler(router);
        port = server.listen().toCompletionStage().toCompletableFuture().join().actualPort();
    }

    /** The body of the response. */
    private String send(String from, String preamble, String path, String... headers) throws IOException {
        String request = preamble + "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + String.join("", List.of(headers).stream().map(header -> header + "\r\n").toList()) + "\r\n";
        try (Socket socket = new Socket()) {
            socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
            socket.connect(new InetSocketAddress("127.0.0.1", port), 20_000);
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(ISO_8859_1));
            String response = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
            return response.substring(response.indexOf("\r\n\r\n") + 4);
        }
    }
}
