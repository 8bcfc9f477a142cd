package org.acme.quotes;

import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import jakarta.inject.Inject;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.quarkus.redis.datasource.RedisDataSource;
import io.quarkus.test.junit.QuarkusTest;

// tag::test[]
@QuarkusTest
class QuoteResourceTest {

    @Inject
    RedisDataSource redis;

    @BeforeEach
    void emptyRedis() {
        redis.flushall();
    }

    @Test
    void fourthCallIsRefused() {
        for (int call = 1; call <= 3; call++) {
            when().get("/quotes").then().statusCode(200);
        }

        when().get("/quotes").then().statusCode(429)
                .header("Retry-After", Integer::parseInt, lessThanOrEqualTo(20))
                .body("'violated-policies'", hasItem("quotes"));
    }
}
// end::test[]
