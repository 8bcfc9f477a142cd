package io.quarkiverse.ratelimit.test.key;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.netty.util.Version;
import io.quarkus.maven.dependency.ArtifactDependency;
import io.quarkus.test.QuarkusUnitTest;
import io.quarkus.test.common.http.TestHTTPResource;

/** Behind two proxies with unknown addresses, of which the second connects through TCP or a Unix domain socket. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class ProxyHopsTest {

    private static final Path SOCKET = Path.of("target", "proxy-hops.sock");

    @RegisterExtension
    static final QuarkusUnitTest TEST = new QuarkusUnitTest()
            .setForcedDependencies(List.of(
                    new ArtifactDependency("io.netty", "netty-transport-native-epoll", "linux-x86_64", "jar",
                            Version.identify().get("netty-transport").artifactVersion())))
            .withApplicationRoot(jar -> jar.addClasses(WhoResource.class, RawHttp.class))
            .withConfiguration("""
                    quarkus.vertx.prefer-native-transport=true
                    quarkus.http.domain-socket-enabled=true
                    quarkus.http.domain-socket=%s
                    quarkus.http.proxy.proxy-address-forwarding=true
                    quarkus.http.proxy.trusted-proxies=0.0.0.0/0
                    quarkus.rate-limit.proxy-hops=2
                    quarkus.rate-limit.store=memory
                    """.formatted(SOCKET.toAbsolutePath()))
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
                    && record.getLoggerName().equals("io.quarkiverse.ratelimit"))
            .assertLogRecords(records -> assertThat(records).hasSizeLessThanOrEqualTo(1).allSatisfy(
                    record -> assertThat(record.getMessage()).contains("no address", "quarkus.rate-limit.proxy-hops=2")));

    @TestHTTPResource
    URI server;

    @Test
    void addressBeforeTheProxiesIsTheCaller() {
        String header = "X-Forwarded-For: 9.9.9.9, 203.0.113.7, 198.51.100.1";

        assertThat(RawHttp.get("127.0.0.1", "/who", header)).isEqualTo("203.0.113.7");
        assertThat(RawHttp.get("127.0.0.2", "/who/route", header)).isEqualTo("203.0.113.7");
        assertThat(RawHttp.get("127.0.0.1", "/who/stranger", header)).isEqualTo("false");
    }

    @Test
    void addressBeforeTheProxiesIsTheCallerThroughADomainSocket() throws IOException {
        assertThat(throughSocket("/who", "X-Forwarded-For: 9.9.9.9, 203.0.113.7, 198.51.100.1")).isEqualTo("203.0.113.7");
        assertThat(throughSocket("/who/route", "X-Forwarded-For: 9.9.9.9", "X-Forwarded-For: 203.0.113.7:80",
                "X-Forwarded-For: [2001:db8::1]:443")).isEqualTo("203.0.113.7");
        assertThat(throughSocket("/who", "X-Forwarded-For: 203.0.113.7")).isEqualTo("null");
    }

    @Test
    void linesCountAsOneListOverHttp2() throws IOException, InterruptedException {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        // only the first request of a connection is one of HTTP/1.1, with an upgrade
        client.send(HttpRequest.newBuilder(server.resolve("/who")).build(), BodyHandlers.discarding());
        HttpResponse<String> response = client.send(HttpRequest.newBuilder(server.resolve("/who"))
                .header("X-Forwarded-For", "9.9.9.9").header("X-Forwarded-For", "203.0.113.7")
                .header("X-Forwarded-For", "198.51.100.1").build(), BodyHandlers.ofString());

        assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
        assertThat(response.body()).isEqualTo("203.0.113.7");
    }

    @Test
    void requestWithFewerAddressesHasNone() {
        assertThat(RawHttp.get("127.0.0.1", "/who")).isEqualTo("null");
        assertThat(RawHttp.get("127.0.0.1", "/who/route", "X-Forwarded-For: 203.0.113.7")).isEqualTo("null");
        assertThat(RawHttp.get("127.0.0.1", "/who", "X-Forwarded-For: 203.0.113.7, , ")).isEqualTo("null");
        assertThat(RawHttp.get("127.0.0.1", "/who/stranger", "X-Forwarded-For: 203.0.113.7")).isEqualTo("true");
    }

    @Test
    void otherHeaderIsNotRead() {
        assertThat(RawHttp.get("127.0.0.1", "/who", "Forwarded: for=9.9.9.9, for=8.8.8.8")).isEqualTo("null");
        assertThat(RawHttp.get("127.0.0.1", "/who", "Forwarded: for=9.9.9.9, for=8.8.8.8",
                "X-Forwarded-For: 203.0.113.7, 198.51.100.1")).isEqualTo("203.0.113.7");
    }

    private static String throughSocket(String path, String... headers) throws IOException {
        String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" + String.join("\r\n", headers)
                + "\r\n\r\n";
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(SOCKET.toAbsolutePath()));
            channel.write(ByteBuffer.wrap(request.getBytes(ISO_8859_1)));
            InputStream in = Channels.newInputStream(channel);
            String response = new String(in.readAllBytes(), ISO_8859_1);
            return response.substring(response.indexOf("\r\n\r\n") + 4);
        }
    }
}
