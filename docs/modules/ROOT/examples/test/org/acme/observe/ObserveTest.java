package org.acme.observe;

import static io.restassured.RestAssured.when;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jakarta.inject.Inject;

import org.acme.FreshLimits;
import org.junit.jupiter.api.Test;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.path.json.JsonPath;

/** Metrics and events show decisions. */
@QuarkusTest
class ObserveTest extends FreshLimits {

    private static final Path DASHBOARD = Path.of("modules/ROOT/attachments/grafana-rate-limit.json");
    private static final Path ALERTS = Path.of("modules/ROOT/examples/prometheus-rate-limit.yml");
    private static final Pattern METER = Pattern.compile("(rate_limit_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)=~?(\"[^\"]*\")");
    private static final Pattern GROUPED = Pattern.compile("by \\(([^)]*)\\)");
    /** Labels that Prometheus adds. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    @Inject
    Abuse abuse;

    @Test
    void meterAndEventShowThreeAllowedCallsAndADeniedOne() throws IOException {
        for (int call = 1; call <= 4; call++) {
            when().get("/downloads").then().statusCode(call <= 3 ? 200 : 429);
        }

        assertThat(metrics().filter(line -> line.contains("policy=\"downloads\"")).sorted())
                .containsExactlyElementsOf(Files.readAllLines(Path.of("modules/ROOT/examples/responses/metrics.txt")));
        await().untilAsserted(() -> assertThat(abuse.reports())
                .filteredOn(report -> report.startsWith("downloads: ")).containsExactly("downloads: ip=127.0.0.1"));
    }

    @Test
    void repliesOfRedisHaveAHistogram() {
        assertThat(metrics()).anyMatch(line -> line.startsWith("rate_limit_redis_seconds_bucket{")
                && line.contains("result=\"ok\"") && line.contains("le=\"0.001\""));
    }

    /**
     * A series exists for each query: with its meter, the labels that it names or groups by, and the values that it selects.
     */
    @Test
    void dashboardAndAlertsQueryExistingMetrics() throws IOException {
        List<String> series = metrics().filter(line -> line.startsWith("rate_limit_")).toList();
        JsonPath dashboard = JsonPath.from(DASHBOARD.toFile());
        List<String> queries = new ArrayList<>(dashboard.getList("panels.targets.flatten().expr", String.class));
        queries.addAll(dashboard.getList("templating.list.findAll { it.type == 'query' }.query", String.class));
        queries.addAll(List.of(Files.readString(ALERTS).split("alert:")).stream().skip(1).toList());

        assertThat(queries).hasSizeGreaterThan(15).allSatisfy(query -> {
            List<String> grouped = found(GROUPED, query).flatMap(by -> Stream.of(by.group(1).split(", "))).toList();
            assertThat(found(METER, query)).isNotEmpty().allSatisfy(meter -> assertThat(series).anyMatch(
                    line -> line.startsWith(meter.group(1) + '{')
                            && grouped.stream().allMatch(label -> hasLabel(line, label, "\""))
                            && found(MATCHER, String.valueOf(meter.group(2)))
                                    .allMatch(label -> hasLabel(line, label.group(1), label.group(2)))));
        });
    }

    /** @param value in quotes, or {@code "$} and {@code ".} where any will do */
    private static boolean hasLabel(String line, String label, String value) {
        return OF_PROMETHEUS.contains(label) || line.contains(label + '=' + value.replaceAll("^\"[.$].*", "\""));
    }

    private static Stream<MatchResult> found(Pattern pattern, String text) {
        return pattern.matcher(text).results();
    }

    private static Stream<String> metrics() {
        return when().get("/q/metrics").then().statusCode(200).extract().asString().lines();
    }
}
