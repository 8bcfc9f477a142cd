package io.quarkiverse.ratelimit.test.plans;

import static io.restassured.RestAssured.given;

import io.restassured.response.Response;
import io.restassured.specification.RequestSpecification;

/** Users, each with the roles that its name lists: {@code gold-silver} has both. */
final class Users {

    private Users() {
    }

    static RequestSpecification as(String user) {
        return given().auth().preemptive().basic(user, "secret");
    }

    /** What is left of the limit, and its capacity: {@code 9/10}. */
    static String left(Response response) {
        return response.header("X-RateLimit-Remaining") + "/" + response.header("X-RateLimit-Limit");
    }
}
