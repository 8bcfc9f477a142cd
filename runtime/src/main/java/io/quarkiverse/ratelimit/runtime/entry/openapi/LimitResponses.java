package io.quarkiverse.ratelimit.runtime.entry.openapi;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

import org.eclipse.microprofile.openapi.OASFactory;
import org.eclipse.microprofile.openapi.models.Components;
import org.eclipse.microprofile.openapi.models.OpenAPI;
import org.eclipse.microprofile.openapi.models.headers.Header;
import org.eclipse.microprofile.openapi.models.media.Schema;
import org.eclipse.microprofile.openapi.models.media.Schema.SchemaType;
import org.eclipse.microprofile.openapi.models.responses.APIResponse;

import io.quarkiverse.ratelimit.runtime.entry.denial.Denial.Reason;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.HeaderFamily;

/** Describes the responses of limited operations. Adds the necessary components to the OpenAPI document. */
final class LimitResponses {

    private static final String PROBLEM = "RateLimitProblem";
    private static final String RETRY_AFTER = "Retry-After";

    private final Map<String, Header> headers = new LinkedHashMap<>();
    private final OpenAPI document;

    /** @param families the header families of responses */
    LimitResponses(OpenAPI document, Set<HeaderFamily> families) {
        this.document = document;
        if (families.contains(HeaderFamily.RATELIMIT)) {
            headers.put("RateLimit-Policy",
                    header("The limits, each with its capacity (q) and the seconds in which it fills (w).",
                            SchemaType.STRING, "\"quotes\";q=10;w=60"));
            headers.put("RateLimit", header("Where the caller stands: permits left (r), and seconds until there are more (t).",
                    SchemaType.STRING, "\"quotes\";r=9;t=6"));
        }
        if (families.contains(HeaderFamily.X_RATELIMIT)) {
            headers.put("X-RateLimit-Limit", header("The capacity of the limit that is nearest to denying.",
                    SchemaType.INTEGER, 10));
            headers.put("X-RateLimit-Remaining", header("How many permits are left.", SchemaType.INTEGER, 9));
            headers.put("X-RateLimit-Reset", header("When all permits are available again, in seconds since the epoch.",
                    SchemaType.INTEGER, 1795179670));
        }
    }

    /** Adds the headers that show the state of the caller's limits. */
    void addHeaders(APIResponse response) {
        if (response.getRef() == null) {
            headers.forEach((name, header) -> add(name, header, response));
        }
    }

    /** Returns the response to a call that a limit denies. */
    APIResponse used() {
        APIResponse response = problem("Too Many Requests: a rate limit is used up, or the caller is blocked.");
        addHeaders(response);
        return response;
    }

    /** Returns the response to a call that is denied because Redis is unavailable. */
    APIResponse unavailable() {
        return problem("Service Unavailable: a rate limit cannot be decided at the moment.");
    }

    private APIResponse problem(String description) {
        Components components = components();
        if (components.getSchemas() == null || !components.getSchemas().containsKey(PROBLEM)) {
            components.addSchema(PROBLEM, schema(SchemaType.OBJECT).description("Problem details (RFC 9457)")
                    .addProperty("type",
                            schema(SchemaType.STRING).format("uri").examples(ofReasons(reason -> reason.problemType)))
                    .addProperty("title", schema(SchemaType.STRING).examples(ofReasons(reason -> reason.title)))
                    .addProperty("status", schema(SchemaType.INTEGER))
                    .addProperty("detail", schema(SchemaType.STRING))
                    .addProperty("violated-policies", schema(SchemaType.ARRAY).items(schema(SchemaType.STRING))));
        }
        APIResponse response = OASFactory.createAPIResponse().description(description)
                .content(OASFactory.createContent().addMediaType("application/problem+json", OASFactory.createMediaType()
                        .schema(OASFactory.createSchema().ref("#/components/schemas/" + PROBLEM))));
        add(RETRY_AFTER, header("After how many seconds the call may be repeated; absent where waiting does not help.",
                SchemaType.INTEGER, 6), response);
        return response;
    }

    private static List<Object> ofReasons(Function<Reason, Object> value) {
        return Stream.of(Reason.values()).map(value).distinct().toList();
    }

    private void add(String name, Header header, APIResponse response) {
        if (components().getHeaders() == null || !components().getHeaders().containsKey(name)) {
            components().addHeader(name, header);
        }
        if (response.getHeaders() == null || !response.getHeaders().containsKey(name)) {
            response.addHeader(name, OASFactory.createHeader().ref("#/components/headers/" + name));
        }
    }

    private Components components() {
        if (document.getComponents() == null) {
            document.setComponents(OASFactory.createComponents());
        }
        return document.getComponents();
    }

    private static Header header(String description, SchemaType type, Object example) {
        return OASFactory.createHeader().description(description).schema(schema(type)).example(example);
    }

    private static Schema schema(SchemaType type) {
        return OASFactory.createSchema().addType(type);
    }
}
