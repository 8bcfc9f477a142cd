package io.quarkiverse.ratelimit.runtime.policy.settings;

import static io.quarkiverse.ratelimit.runtime.policy.settings.PropertyGroup.items;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.quarkiverse.ratelimit.runtime.policy.Policy;
import io.quarkiverse.ratelimit.runtime.policy.Route;
import io.quarkiverse.ratelimit.runtime.policy.config.RateLimitConfig.RouteConfig;
import io.quarkus.vertx.http.runtime.security.ImmutablePathMatcher;

/** Reads one route. */
record RouteReader(PropertyGroup group, RouteConfig config, SortedMap<String, Policy> policies) {

    /** Wildcard that the path matcher of Quarkus does not accept. */
    private static final Pattern WILDCARD_IN_SEGMENT = Pattern.compile("\\*[^/]|[^/]\\*.");
    private static final Pattern NEVER_MATCHING = Pattern.compile("[?#]|//|(^|/)\\.\\.?(/|$)");

    private static final String ANY_SEGMENT = "*";

    /** Reads the route. It must not be used if there are mistakes. */
    Route read() {
        group.requireName("route");
        group.require("paths", config.paths(), "Set paths to the paths to limit, for example /login or /api/*.");
        List<String> paths = patterns("paths", config.paths());
        List<String> except = patterns("except", config.except());
        if (!group.hasMistakes(List.of("paths", "except"))) {
            except.stream().filter(excepted -> paths.stream().noneMatch(limited -> overlap(limited, excepted)))
                    .forEach(excepted -> group.wrong("except", "has the pattern " + excepted + ", which lies in none of paths="
                            + String.join(",", paths) + ". Correct it, or remove it."));
        }
        return new Route(group.path().last(), paths, except, methods(), policy());
    }

    /** Returns whether a path can match both patterns: then one that has the literal segments of both does. */
    private boolean overlap(String one, String other) {
        String root = group.given().source.getOptionalValue("quarkus.http.root-path", String.class).orElse("/");
        List<String> segments = segments(one, root);
        List<String> others = segments(other, root);
        StringBuilder path = new StringBuilder(segments.isEmpty() && others.isEmpty() ? "/" : "");
        for (int i = 0; i < Math.max(segments.size(), others.size()); i++) {
            String segment = i < segments.size() ? segments.get(i) : ANY_SEGMENT;
            path.append('/').append(segment.equals(ANY_SEGMENT) && i < others.size() ? others.get(i) : segment);
        }
        return matches(one, path.toString(), root) && matches(other, path.toString(), root);
    }

    /** Returns the segments of a pattern without the {@code *} at its end. */
    private static List<String> segments(String pattern, String root) {
        String path = (pattern.startsWith("/") ? pattern : root + '/' + pattern).replaceFirst("\\*$", "");
        return Stream.of(path.split("/")).filter(segment -> !segment.isEmpty()).toList();
    }

    private static boolean matches(String pattern, String path, String root) {
        String normalizedRoot = ('/' + root + '/').replaceAll("/+", "/");
        return ImmutablePathMatcher.<Boolean> builder().rootPath(normalizedRoot).addPath(pattern, true).build().match(path)
                .getValue() != null;
    }

    private List<String> patterns(String property, Optional<List<String>> given) {
        List<String> patterns = items(given);
        for (String pattern : patterns) {
            if (WILDCARD_IN_SEGMENT.matcher(pattern).find()) {
                group.wrong(property, "has a * in " + pattern + " that is neither its end nor a whole segment, as in /api/* or"
                        + " /api/*/orders.");
            } else if (NEVER_MATCHING.matcher(pattern).find()) {
                group.wrong(property,
                        "has the pattern " + pattern + ", which no path matches: a path has no query, no empty segment"
                                + " and no dots as a segment.");
            }
        }
        return patterns;
    }

    private Set<String> methods() {
        Set<String> upperCase = new HashSet<>();
        for (String method : items(config.methods())) {
            if (!method.matches("[A-Za-z][A-Za-z-]*")) {
                group.wrong("methods", "must be HTTP methods, comma-separated, like GET,POST.");
            }
            upperCase.add(method.toUpperCase(Locale.ROOT));
        }
        if (upperCase.contains("GET")) {
            upperCase.add("HEAD");
        }
        return upperCase;
    }

    private Policy policy() {
        group.require("policy", config.policy(), "Set policy to the policy that limits the paths. Configured policies: "
                + PropertyGroup.listed(policies.keySet()) + ".");
        String name = config.policy().map(String::strip).orElse("");
        Policy policy = policies.get(name);
        if (policy == null) {
            group.wrong("policy", PropertyGroup.namesNoPolicy(name, policies.keySet()));
        } else {
            reportWhatIsUnknown(policy);
        }
        return policy;
    }

    private void reportWhatIsUnknown(Policy policy) {
        List<String> unknown = unknownOnRoutes(policy);
        if (!unknown.isEmpty()) {
            group.wrong("policy",
                    "has " + String.join(", ", unknown) + ", which is not known before authentication and before a method"
                            + " is chosen. Give the route a policy of its own, for example with key=ip.");
        }
    }

    /** Returns the properties of a policy that need more than the request. */
    static List<String> unknownOnRoutes(Policy policy) {
        List<String> unknown = new ArrayList<>();
        if (policy.key() != null) {
            policy.key().unknownOnRoutes().forEach(part -> unknown.add("key=" + part));
        }
        if (policy.plans().needsIdentity()) {
            unknown.add("plan=" + Policy.written(policy.plans().source()));
        }
        if (policy.exempt().needsIdentity()) {
            unknown.add("exempt-roles");
        }
        return unknown;
    }
}
