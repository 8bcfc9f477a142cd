package io.quarkiverse.ratelimit.test.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;

import org.eclipse.microprofile.openapi.annotations.headers.Header;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.quarkiverse.ratelimit.Unlimited;
import io.quarkiverse.ratelimit.test.openapi.fixtures.DescribedLimits;
import io.quarkus.test.QuarkusUnitTest;
import io.restassured.path.json.JsonPath;

/**
 * The document describes limits wherever their annotations are, and only there, by the configuration of the start. The build
 * knows another one. What the application describes itself stays as it is.
 */
class LimitedOperationsTest {

    private static final String[] HEADERS = { "RateLimit-Policy", "RateLimit", "X-RateLimit-Limit", "X-RateLimit-Remaining",
            "X-RateLimit-Reset" };

    private static final java.nio.file.Path STORED = java.nio.file.Path.of("target", "limited-operations").toAbsolutePath();

    @RegisterExtension
    static final QuarkusUnitTest APP = DescribedLimits
            .application(Quotes.class, Described.class, Inherited.class, Base.class, Api.class,
                    Implementation.class, Parts.class, Part.class, Partly.class)
            .overrideConfigKey("quarkus.rate-limit.policies.logins.permits", "5")
            .overrideConfigKey("quarkus.rate-limit.policies.logins.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.logins.key", "global")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.logins.on-redis-failure", "deny")
            .overrideConfigKey("quarkus.rate-limit.policies.free.permits", "5")
            .overrideConfigKey("quarkus.rate-limit.policies.free.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.free.key", "global")
            .overrideConfigKey("quarkus.rate-limit.policies.free.overflow", "logins")
            .overrideConfigKey("quarkus.rate-limit.policies.trial.permits", "5")
            .overrideConfigKey("quarkus.rate-limit.policies.trial.period", "1h")
            .overrideConfigKey("quarkus.rate-limit.policies.trial.key", "global")
            .overrideRuntimeConfigKey("quarkus.rate-limit.policies.trial.mode", "shadow")
            .overrideConfigKey("quarkus.smallrye-openapi.store-schema-directory", STORED.toString());

    private DescribedLimits document;

    @BeforeEach
    void read() {
        document = DescribedLimits.served();
    }

    @ParameterizedTest
    @CsvSource({ "get,/quotes,200", "post,/quotes,200", "get,/quotes/of/{author},200", "get,/inherited,200",
            "delete,/interface/{id},204", "get,/parts/{id}/size,200", "get,/partly,200", "get,/quotes/free,200" })
    void limitedOperationsHaveTheResponseAndItsHeaders(String method, String path, String success) {
        assertThat(document.statuses(method, path)).contains(success, "429").doesNotContain("503");
        assertThat(document.headers(method, path, "429")).contains(HEADERS).contains("Retry-After");
        assertThat(document.headers(method, path, success)).containsExactlyInAnyOrder(HEADERS);
    }

    @ParameterizedTest
    @CsvSource({ "put,/partly", "post,/inherited", "get,/parts/{id}/name", "get,/quotes/trial" })
    void otherOperationsDescribeNoLimit(String method, String path) {
        assertThat(document.statuses(method, path)).isNotEmpty().doesNotContain("429", "503");
        assertThat(document.responses(method, path).toString()).doesNotContain("RateLimit");
    }

    @Test
    void denialIsDescribedAsProblemDetails() {
        assertThat(document.document().getString(
                "paths.'/quotes'.get.responses.'429'.content.'application/problem+json'.schema.'$ref'"))
                .isEqualTo("#/components/schemas/RateLimitProblem");
        assertThat(document.document().getMap("components.schemas.RateLimitProblem.properties"))
                .containsOnlyKeys("type", "title", "status", "detail", "violated-policies");
        assertThat(document.document().getList("components.schemas.RateLimitProblem.properties.type.examples")).containsExactly(
                "https://iana.org/assignments/http-problem-types#quota-exceeded",
                "https://iana.org/assignments/http-problem-types#abnormal-usage-detected",
                "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity");
        assertThat(document.document().getList("components.schemas.RateLimitProblem.properties.title.examples"))
                .containsExactly("Quota Exceeded", "Abnormal Usage Detected", "Temporary Reduced Capacity");
        assertThat(document.document().getString("paths.'/quotes'.get.responses.'429'.headers.RateLimit.'$ref'"))
                .isEqualTo("#/components/headers/RateLimit");
        assertThat(document.document().getString("components.headers.RateLimit.schema.type")).isEqualTo("string");
    }

    @Test
    void policyThatDeniesWithoutRedisDescribesItsUnavailability() {
        assertThat(document.statuses("post", "/quotes/login")).contains("429", "503");
        assertThat(document.headers("post", "/quotes/login", "503")).containsExactly("Retry-After");
    }

    @Test
    void ownResponseStaysAsItIs() {
        assertThat(document.document().getMap("paths.'/own'.get.responses.'429'")).containsEntry("description", "Too fast")
                .doesNotContainKeys("content", "headers");
    }

    @Test
    void ownHeaderStaysAsItIs() {
        assertThat(document.document().getMap("paths.'/own'.get.responses.'200'.headers.X-RateLimit-Limit"))
                .containsEntry("description", "Calls per day").doesNotContainKey("$ref");
    }

    @Test
    void documentOfTheBuildDescribesAllThatMayBeConfigured() {
        DescribedLimits stored = new DescribedLimits(JsonPath.from(STORED.resolve("openapi.json").toFile()));
        assertThat(stored.statuses("get", "/quotes")).containsExactlyInAnyOrder("200", "429", "503");
        assertThat(stored.headers("get", "/quotes", "200")).containsExactlyInAnyOrder(HEADERS);
        assertThat(stored.statuses("get", "/quotes/trial")).contains("429", "503");
        assertThat(stored.statuses("put", "/partly")).doesNotContain("429", "503");
        assertThat(stored.document().prettify()).doesNotContain("x-");
    }

    @Test
    void noMarksAreLeftBehind() {
        assertThat(document.document().prettify()).doesNotContain("x-");
    }

    @Path("/quotes")
    public static class Quotes {
        @GET
        @RateLimited("quotes")
        public String quote() {
            return "ok";
        }

        @POST
        @RateLimited("quotes")
        @RateLimited("trial")
        public String add() {
            return "ok";
        }

        @GET
        @Path("of/{author}")
        @RateLimited("quotes")
        public String of(@RateLimitKey String author) {
            return author;
        }

        @POST
        @Path("login")
        @RateLimited("logins")
        public String login() {
            return "ok";
        }

        /** Its overflow denies with 503 only where an annotation names it. */
        @GET
        @Path("free")
        @RateLimited("free")
        public String free() {
            return "ok";
        }

        @GET
        @Path("trial")
        @RateLimited("trial")
        public String trial() {
            return "ok";
        }
    }

    @Path("/own")
    public static class Described {
        @GET
        @RateLimited("quotes")
        @APIResponse(responseCode = "429", description = "Too fast")
        @APIResponse(responseCode = "200", description = "OK", headers = @Header(name = "X-RateLimit-Limit", description = "Calls per day"))
        public String own() {
            return "ok";
        }
    }

    public abstract static class Base {
        @GET
        @RateLimited("quotes")
        public String get() {
            return "ok";
        }
    }

    @Path("/inherited")
    public static class Inherited extends Base {
        @POST
        public String post() {
            return "ok";
        }
    }

    @Path("/interface")
    @RateLimited("quotes")
    public interface Api {
        @DELETE
        @Path("{id}")
        void delete(int id);
    }

    @ApplicationScoped
    public static class Implementation implements Api {
        @Override
        public void delete(int id) {
        }
    }

    @Path("/parts")
    public static class Parts {
        @Path("{id}")
        public Part part(int id) {
            return new Part();
        }
    }

    public static class Part {
        @GET
        @Path("size")
        @RateLimited("quotes")
        public String size() {
            return "1";
        }

        @GET
        @Path("name")
        public String name() {
            return "one";
        }
    }

    @Path("/partly")
    @RateLimited("quotes")
    public static class Partly {
        @GET
        public String get() {
            return "ok";
        }

        @PUT
        @Unlimited
        public String put() {
            return "ok";
        }
    }
}
