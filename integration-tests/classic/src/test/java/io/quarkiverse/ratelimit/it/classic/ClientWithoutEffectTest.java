package io.quarkiverse.ratelimit.it.classic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.LogRecord;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.rest.client.inject.RegisterRestClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import io.quarkiverse.ratelimit.RateLimited;
import io.quarkus.test.QuarkusUnitTest;

/** The build warns of limits of outgoing calls that nothing enforces. */
class ClientWithoutEffectTest {

    @RegisterExtension
    static final QuarkusUnitTest APP = new QuarkusUnitTest()
            .withApplicationRoot(jar -> jar.addClass(Client.class))
            .overrideConfigKey("quarkus.rate-limit.policies.two.permits", "2")
            .overrideConfigKey("quarkus.rate-limit.policies.two.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.two.key", "global")
            .setLogRecordPredicate(record -> record.getLevel().intValue() >= Level.WARNING.intValue()
                    && record.getMessage().contains("@RateLimited"))
            .assertLogRecords(records -> assertThat(records).extracting(LogRecord::getMessage).singleElement().asString()
                    .startsWith("@RateLimited on " + Client.class.getName() + "#call() does not limit outgoing calls"));

    @Test
    void clientsOfRestEasyClassicAreNotLimited() {
        // the log of the build is the outcome
    }

    @RegisterRestClient(baseUri = "http://localhost:1")
    @Path("/")
    public interface Client {

        @GET
        @RateLimited("two")
        String call();
    }
}
