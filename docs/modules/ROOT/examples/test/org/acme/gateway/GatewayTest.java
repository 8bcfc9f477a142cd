package org.acme.gateway;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.Headers;
import io.restassured.response.Response;

/** The gateway limits by route, and a denied request never reaches the service. */
@QuarkusTest
@QuarkusTestResource(Stock.class)
class GatewayTest extends FreshLimits {

    @Test
    void thirdRequestOfAnApiKeyIsDeniedBeforeTheService() throws IOException {
        int before = Stock.REQUESTS.get();
        given().header("X-Api-Key", "a").get("/stock/tea").then().statusCode(200).body(is("/stock/tea "))
                .header("RateLimit-Policy", is("\"stock\";q=2;w=60"));
        given().header("X-Api-Key", "a").get("/stock/tea").then().statusCode(200);

        Response denied = given().header("X-Api-Key", "a").get("/stock/tea");
        assertThat(text(denied)).isEqualTo(Files.readString(Path.of("modules/ROOT/examples/responses/gateway-denied.txt")));
        given().header("X-Api-Key", "b").get("/stock/tea").then().statusCode(200);
        assertThat(Stock.REQUESTS.get() - before).isEqualTo(3);
    }

    @Test
    void limitOfTheGatewayReplacesOrJoinsThatOfTheService() {
        Headers headers = given().header("X-Api-Key", "c").get("/stock/tea").headers();

        assertThat(headers.getValues("X-RateLimit-Remaining")).containsExactly("1");
        assertThat(headers.getValues("RateLimit")).containsExactly("\"service\";r=77", "\"stock\";r=1;t=30");
    }

    @Test
    void ordersHaveALimitForAllCallersAndKeepTheirBody() {
        for (int order = 1; order <= 5; order++) {
            given().header("X-Api-Key", "key" + order).body("order " + order).post("/stock/orders").then().statusCode(200)
                    .body(is("/stock/orders order " + order));
        }

        given().header("X-Api-Key", "another").body("order 6").post("/stock/orders").then().statusCode(429)
                .body("'violated-policies'", is(List.of("stock-orders")));
    }

    /** As curl prints it, where seconds that passed between the calls do not count. */
    private static String text(Response reply) {
        StringBuilder text = new StringBuilder(reply.statusLine()).append('\n');
        reply.headers().forEach(header -> text.append(header.getName() + ": " + header.getValue()).append('\n'));
        return text.append('\n').append(reply.asString()).append('\n').toString()
                .replaceAll("(t=|retry-after: |Retry after )[123]?\\d\\b", "$130")
                .replaceAll("(Reset: )\\d{10}\\b", "$11795179730");
    }
}
