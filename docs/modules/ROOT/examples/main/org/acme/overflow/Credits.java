package org.acme.overflow;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import io.agroal.api.AgroalDataSource;
import io.quarkiverse.ratelimit.CalendarPeriod;
import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.spi.RateLimitCall;
import io.quarkiverse.ratelimit.spi.RateLimitPlan;
import io.quarkiverse.ratelimit.spi.RateLimitPlanResolver;
import io.smallrye.common.annotation.Identifier;
import io.smallrye.mutiny.Uni;

/** Reads the credits that an account has bought for this month. */
// tag::credits[]
@ApplicationScoped
@Identifier("credits")
public class Credits implements RateLimitPlanResolver {

    @Inject
    AgroalDataSource database;

    @Override
    public Uni<RateLimitPlan> resolve(RateLimitCall call) {
        String account = call.key() == null ? call.header("X-Account") : call.key().get(0);
        return account == null ? null : call.runBlocking(() -> creditsOf(account));
    }

    private RateLimitPlan creditsOf(String account) {
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement("select credits from account where name = ?")) {
            query.setString(1, account);
            ResultSet found = query.executeQuery();
            return found.next() ? RateLimitPlan.of(Limit.fixedWindow(found.getLong("credits"), CalendarPeriod.MONTH)) : null;
        } catch (SQLException e) {
            throw new IllegalStateException("Cannot read the credits", e);
        }
    }
}
// end::credits[]
