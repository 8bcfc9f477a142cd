package io.quarkiverse.ratelimit.docs;

/** Draws the states of the connection to Redis, as one event loop sees it, and what leads from one to another. */
final class OutageStates {

    private static final int BOX = 240, HEIGHT = 54, RIGHT_BOX = 476;
    private static final String STYLE = ".a{stroke:var(--faint);stroke-width:1.4}";
    private static final String TITLE = "The connection to Redis, as an event loop sees it";
    private static final String DESCRIPTION = "Connecting leads to Connected, or to Unavailable if that fails or a call waits too long."
            + " Connected leads back to Connecting when the connection is lost, to Unavailable when no call had a reply in"
            + " time or Redis is a replica now, and to Errors when Redis replies with errors or the queue is full."
            + " Unavailable leads to Connected when an attempt connects and Redis replies, else to the next attempt."
            + " Errors leads to Connected after a decision and a second without errors.";

    private OutageStates() {
    }

    static String draw() {
        Svg svg = new Svg(470, TITLE, DESCRIPTION, STYLE);
        svg.text(Svg.LEFT, 28, "b", "start", TITLE);
        state(svg, Svg.LEFT, 64, "Connecting", "calls wait, up to their timeout");
        state(svg, RIGHT_BOX, 64, "Connected", "Redis decides");
        state(svg, Svg.LEFT, 290, "Unavailable", "calls fail at once and fall back");
        state(svg, RIGHT_BOX, 364, "Errors", "calls that fail fall back");
        edge(svg, "M286 80h186m-5-4l5 4l-5 4", 380, 72, "middle", "connected");
        edge(svg, "M474 102h-186m5-4l-5 4l5 4", 380, 118, "middle", "lost: connects at once");
        edge(svg, "M84 120v166m-4-5l4 5l4-5", 94, 214, "start", "does not connect,", "or a call waits too long");
        edge(svg, "M268 288v-110h220v-56m-4 5l4-5l4 5", 276, 170, "start", "an attempt connects, Redis replies");
        edge(svg, "M508 120v200h-220m5-4l-5 4l5 4", 292, 296, "start", "no call had a reply in time,",
                "or Redis is a replica now");
        edge(svg, "M84 346v14h40v-10m-4 5l4-5l4 5", 134, 362, "start", "an attempt fails: the next waits twice",
                "as long, but less than 600 ms");
        edge(svg, "M536 120v240m-4-5l4 5l4-5", 544, 196, "start", "errors, or a full queue");
        edge(svg, "M692 362v-240m-4 5l4-5l4 5", 684, 280, "end", "a decision, and no", "error for a second");
        svg.text(Svg.LEFT, 450, "f", "start",
                "Each of the two lower states logs one WARN for all event loops, and its end one INFO.");
        return svg.finished();
    }

    private static void state(Svg svg, int x, int y, String name, String calls) {
        svg.path("g", "M" + x + ' ' + y + 'h' + BOX + 'v' + HEIGHT + "h-" + BOX + 'z');
        svg.text(x + 14, y + 22, "b", "start", name);
        svg.text(x + 14, y + 41, "f", "start", calls);
    }

    private static void edge(Svg svg, String path, int x, int y, String anchor, String... label) {
        svg.path("a", path);
        for (int line = 0; line < label.length; line++) {
            svg.text(x, y + 16 * line, "f", anchor, label[line]);
        }
    }
}
