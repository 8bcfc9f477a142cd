package io.quarkiverse.ratelimit.it.topologies;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.smallrye.certs.CertificateGenerator;
import io.smallrye.certs.CertificateRequest;
import io.smallrye.certs.Format;
import io.smallrye.certs.PemCertificateFiles;
import redis.embedded.RedisServer;

/**
 * Starts a server that speaks TLS and asks for a certificate, and one whose certificate is made by somebody else. The
 * first can also be reached without.
 */
public class StartedTlsRedis implements QuarkusTestResourceLifecycleManager {

    private RedisServer trusted;
    private RedisServer stranger;

    @Override
    public Map<String, String> start() {
        try {
            Path folder = Files.createTempDirectory("certificates");
            PemCertificateFiles certificates = certificates(folder, "trusted");
            int port = freePort();
            int strangersPort = freePort();
            trusted = start(port, certificates);
            stranger = start(strangersPort, certificates(folder, "stranger"));
            return Map.of("quarkus.tls.redis.trust-store.pem.certs", certificates.trustFile().toString(),
                    "quarkus.tls.redis.key-store.pem.limiter.cert", certificates.clientCertFile().toString(),
                    "quarkus.tls.redis.key-store.pem.limiter.key", certificates.clientKeyFile().toString(),
                    "test.tls-port", "" + port, "test.strangers-tls-port", "" + strangersPort,
                    "test.plain-port", "" + trusted.ports().get(0));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static PemCertificateFiles certificates(Path folder, String name) throws Exception {
        return (PemCertificateFiles) new CertificateGenerator(folder, true).generate(new CertificateRequest().withName(name)
                .withFormat(Format.PEM).withCN(name).withSubjectAlternativeName("IP:127.0.0.1").withClientCertificate()).get(0);
    }

    private static RedisServer start(int tlsPort, PemCertificateFiles certificates) throws IOException {
        RedisServer server = RedisServer.newRedisServer().port(freePort()).bind("127.0.0.1").setting("save \"\"")
                .setting("tls-port " + tlsPort).setting("tls-cert-file " + certificates.certFile())
                .setting("tls-key-file " + certificates.keyFile())
                .setting("tls-ca-cert-file " + certificates.serverTrustFile()).build();
        server.start();
        return server;
    }

    @Override
    public void stop() {
        try {
            trusted.stop();
            stranger.stop();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
