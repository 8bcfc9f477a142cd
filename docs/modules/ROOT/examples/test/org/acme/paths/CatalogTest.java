package org.acme.paths;

import static io.restassured.RestAssured.given;
import static io.restassured.RestAssured.when;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import java.util.List;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;

/** One limit applies to everything below a path, whatever serves it. */
@QuarkusTest
class CatalogTest extends FreshLimits {

    @Test
    void thirdRequestIsDenied() {
        when().get("/catalog/items").then().statusCode(200).header("RateLimit-Policy", is("\"catalog\";q=2;w=60"));
        when().get("/catalog/spring.txt").then().statusCode(200);

        when().get("/catalog/items").then().statusCode(429).body("'violated-policies'", is(List.of("catalog")));
        when().get("/catalog/nothing").then().statusCode(429);
    }

    @Test
    void otherMethodsAreNotLimited() {
        for (int call = 0; call < 3; call++) {
            given().body("cocoa").post("/catalog/items").then().statusCode(200).header("RateLimit", nullValue());
        }
    }
}
