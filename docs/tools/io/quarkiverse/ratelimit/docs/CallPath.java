package io.quarkiverse.ratelimit.docs;

import java.util.List;

/** Draws the steps of a request from its arrival to its response, each with what can end it there. */
final class CallPath {

    private static final int TOP = 46, HEIGHT = 46, GAP = 20, BOX = 356, NOTE = Svg.LEFT + BOX + 42;
    private static final String STYLE = ".a{stroke:var(--faint);stroke-width:1.4}.r{fill:var(--no);font-weight:600}";
    private static final List<Step> STEPS = List.of(
            new Step("Routes", "limits of paths, before authentication", "429", "beyond the limit"),
            new Step("Authentication and authorization", "by Quarkus", "401, 403", "not charged by annotations"),
            new Step("@RateLimited", "a filter for resources, an interceptor for other beans", "", ""),
            new Step("Key and plan", "who is calling, and which limits apply", "not counted", "exempt, unlimited, or skipped"),
            new Step("This instance", "repeats a denial, or hands out a prefetched permit", "429",
                    "denial-cache: Redis has just denied the key"),
            new Step("Redis", "one script call for all limits, or the memory", "429, 503",
                    "beyond the limit; unavailable and fail closed"),
            new Step("Delay", "with max-wait, until the permits are available", "", ""),
            new Step("The method runs", "with concurrency, it keeps its permits while it runs", "", ""),
            new Step("Response", "with the headers of the limits", "refund", "count-when: another status"));

    private CallPath() {
    }

    private record Step(String name, String role, String end, String when) {
    }

    static String draw() {
        int height = TOP + STEPS.size() * (HEIGHT + GAP) + 4;
        Svg svg = new Svg(height, "The path of a request", "From top to bottom: " + String.join(", then ",
                STEPS.stream().map(step -> step.name + " (" + step.role + ")").toList()) + ".", STYLE);
        svg.text(Svg.LEFT, 28, "b", "start", "The path of a request");
        svg.text(NOTE, 28, "f", "start", "what can end it, or happen beside it");
        int y = TOP;
        for (Step step : STEPS) {
            draw(step, y, svg);
            if (step != STEPS.get(STEPS.size() - 1)) {
                int x = Svg.LEFT + BOX / 2;
                svg.path("a", "M" + x + ' ' + (y + HEIGHT + 2) + 'v' + (GAP - 5) + "m-4-5l4 5l4-5");
            }
            y += HEIGHT + GAP;
        }
        return svg.finished();
    }

    private static void draw(Step step, int y, Svg svg) {
        svg.path("g", "M" + Svg.LEFT + ' ' + y + 'h' + BOX + 'v' + HEIGHT + "h-" + BOX + 'z');
        svg.text(Svg.LEFT + 14, y + 20, "b", "start", step.name);
        svg.text(Svg.LEFT + 14, y + 37, "f", "start", step.role);
        if (!step.end.isEmpty()) {
            svg.path("a", "M" + (Svg.LEFT + BOX + 4) + ' ' + (y + HEIGHT / 2) + "h28m-5-4l5 4l-5 4");
            svg.text(NOTE, y + 20, "r", "start", step.end);
            svg.text(NOTE, y + 37, "f", "start", step.when);
        }
    }
}
