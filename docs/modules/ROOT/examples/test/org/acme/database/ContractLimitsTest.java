package org.acme.database;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.agroal.api.AgroalDataSource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;

/** The limits of tenants change with their rows. */
@QuarkusTest
class ContractLimitsTest extends FreshLimits {

    private static final Duration CACHE = Duration.ofSeconds(30);

    @Inject
    AgroalDataSource database;

    @BeforeEach
    void contracts() throws Exception {
        execute("drop table if exists contract");
        execute(Files.readString(Path.of("modules/ROOT/examples/resources/contracts.sql")));
    }

    @Test
    void changedRowTakesEffectAfterTheCacheAndCarriesOverWhatIsInUse() throws Exception {
        for (int used = 1; used <= 10; used++) {
            of("acme").header("X-RateLimit-Limit", is("100"));
        }

        execute("""
                -- tag::change[]
                update contract set permits = 1000 where tenant = 'acme';
                -- end::change[]
                """);

        of("acme").header("X-RateLimit-Limit", is("100")).header("X-RateLimit-Remaining", is("89"));
        limits.advance(CACHE);
        of("acme").header("X-RateLimit-Limit", is("1000")).header("X-RateLimit-Remaining", is("988"));

        execute("update contract set permits = 2 where tenant = 'acme'");
        limits.advance(CACHE);
        call("acme").statusCode(429).header("X-RateLimit-Limit", is("2"));
    }

    @Test
    void tenantWithoutRowHasTheConfiguredLimitAndWithoutPermitsNone() {
        of("unknown").header("X-RateLimit-Limit", is("10"));
        of("partner").header("X-RateLimit-Limit", nullValue());
    }

    @Test
    void lastKnownLimitAppliesWhileTheDatabaseFails() throws Exception {
        of("acme").header("X-RateLimit-Limit", is("100"));

        execute("drop table contract");
        limits.advance(CACHE);

        of("acme").header("X-RateLimit-Limit", is("100"));
        of("another").header("X-RateLimit-Limit", is("10"));
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static ValidatableResponse of(String tenant) {
        return call(tenant).statusCode(200);
    }

    private static ValidatableResponse call(String tenant) {
        return given().header("X-Tenant", tenant).get("/invoices").then();
    }
}
