package org.acme.several;

import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;

import java.util.List;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;

/** All limits and policies must allow a call; when one denies it, none is charged. */
@QuarkusTest
class SeveralTest extends FreshLimits {

    @Test
    void limitThatIsUsedUpIsNamed() {
        when().get("/search").then().statusCode(200)
                .header("RateLimit-Policy", is("\"search.burst\";q=2;w=60, \"search.daily\";q=100;w=86400"))
                .header("RateLimit", matchesPattern("\"search.burst\";r=1;t=\\d+, \"search.daily\";r=99;t=8\\d\\d"));
        when().get("/search").then().statusCode(200);

        when().get("/search").then().statusCode(429)
                .header("RateLimit", matchesPattern("\"search.burst\";r=0;t=\\d+, \"search.daily\";r=98;t=8\\d\\d"))
                .header("X-RateLimit-Limit", is("2"))
                .body("'violated-policies'", is(List.of("search.burst")));
    }

    @Test
    void deniedCallChargesNoPolicy() {
        when().get("/search/export").then().statusCode(200)
                .header("RateLimit", matchesPattern("\"per-caller\";r=99;t=\\d+, \"exports\";r=5;t=3\\d\\d"));
        when().get("/search/export").then().statusCode(200);

        when().get("/search/export").then().statusCode(429)
                .header("Retry-After", Integer::parseInt, greaterThan(1700))
                .body("'violated-policies'", is(List.of("exports")));
        when().get("/search/titles").then().statusCode(200).header("X-RateLimit-Remaining", is("97"));
    }
}
