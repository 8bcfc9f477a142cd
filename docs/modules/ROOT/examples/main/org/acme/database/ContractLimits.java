package org.acme.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Reads the limit of a tenant from the table of contracts. */
// tag::contracts[]
@ApplicationScoped
@Identifier("contract-limits")
public class ContractLimits implements RateLimitPlanResolver {

    @Inject
    AgroalDataSource database;

    @Override
    public Uni<RateLimitPlan> resolve(RateLimitCall call) {
        String tenant = call.key() == null ? call.header("X-Tenant") : call.key().get(0);
        return tenant == null ? null : call.runBlocking(() -> contractOf(tenant)); // <1>
    }

    private RateLimitPlan contractOf(String tenant) {
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection
                        .prepareStatement("select permits, seconds from contract where tenant = ?")) {
            query.setString(1, tenant);
            ResultSet contract = query.executeQuery();
            if (!contract.next()) {
                return null; // <2>
            }
            long permits = contract.getLong("permits");
            if (contract.wasNull()) {
                return RateLimitPlan.unlimited();
            }
            Duration period = Duration.ofSeconds(contract.getLong("seconds"));
            return RateLimitPlan.of(Limit.tokenBucket(permits).refill(permits, period)); // <3>
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot read the contract", e); // <4>
        }
    }
}
// end::contracts[]
