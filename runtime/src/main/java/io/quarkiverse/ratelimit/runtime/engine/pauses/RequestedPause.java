package io.quarkiverse.ratelimit.runtime.engine.pauses;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.quarkiverse.ratelimit.Limit;
import io.quarkiverse.ratelimit.runtime.algorithm.LimitUsage;

/**
 * Reads from an error response how long the called service asks not to be called.
 *
 * @param time zero if it does not ask
 * @param notUnderstood headers with values that are not understood
 */
record RequestedPause(Duration time, List<String> notUnderstood) {

    private static final int LONGEST_SHOWN = 100;
    private static final Pattern ZERO = Pattern.compile("-?0{1,15}");
    private static final BigDecimal MAX_MILLIS = BigDecimal.valueOf(Limit.MAX_PERIOD.toMillis());
    private static final Pattern SECONDS = Pattern.compile("[0-9]+(?:\\.[0-9]+)?");
    /** The commas between values. Those after a weekday belong to a date. */
    private static final Pattern COMMA = Pattern.compile("(?<!Mon|Tue|Wed|Thu|Fri|Sat|Sun|[a-z]day),");

    private static final String MONTH = "(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
    private static final String YEAR = "(?<year>[0-9]{4})";
    private static final String TIME = " (?<time>[0-9]{2}:[0-9]{2}:[0-9]{2})", LEAP_SECOND = "23:59:60";
    /** The forms of RFC 9110, 5.6.7: IMF-fixdate, also with a day of one digit, that of RFC 850, and that of asctime. */
    private static final List<Pattern> DATES = List.of(
            Pattern.compile(
                    "(?<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>[0-9]{1,2}) " + MONTH + " " + YEAR + TIME + " GMT"),
            Pattern.compile("(?<weekday>Mon(?=day)|Tue(?=sday)|Wed(?=nesday)|Thu(?=rsday)|Fri(?=day)|Sat(?=urday)|Sun(?=day))"
                    + "(?:|s|nes|rs|ur)day, (?<day>[0-9]{2})-" + MONTH + "-(?<year>[0-9]{2})" + TIME + " GMT"),
            Pattern.compile("(?<weekday>Mon|Tue|Wed|Thu|Fri|Sat|Sun) " + MONTH + " (?<day>[ 0-9][0-9])" + TIME + " " + YEAR));
    private static final DateTimeFormatter DATE = DateTimeFormatter.RFC_1123_DATE_TIME.withResolverStyle(ResolverStyle.STRICT);

    private static final String STRING = "\"(?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*+\"";
    private static final String NAME = "[a-z*][a-z0-9_.*-]*+", TOKEN = "[A-Za-z*][\\w!#$%&'*+.^`|~:/-]*+";
    /** A parameter of a structured field, RFC 9651. */
    private static final Pattern PARAMETER = Pattern
            .compile("[ \\t]*+;[ \\t]*+(" + NAME + ")(?:=(" + STRING + "|[^ \\t;,\"]++))?+");
    private static final Pattern MEMBER = Pattern
            .compile("[ \\t]*+(?:" + STRING + "|" + TOKEN + ")((?:" + PARAMETER + ")*+)[ \\t]*+(?:,|$)");

    /** @param headers by their names, in any case */
    static RequestedPause of(int status, Map<String, List<String>> headers, Instant now) {
        if (status < 400 || status > 599) {
            return new RequestedPause(Duration.ZERO, List.of());
        }
        Reader reader = new Reader(status, headers, now);
        reader.read();
        return new RequestedPause(reader.longest == null ? Duration.ZERO : reader.longest, reader.notUnderstood);
    }

    private static final class Reader {

        private final int status;
        private final Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        private final Instant now;
        private final List<String> notUnderstood = new ArrayList<>();
        /** The longest time that is understood; {@code null} before there is one. */
        private Duration longest;

        Reader(int status, Map<String, List<String>> headers, Instant now) {
            this.status = status;
            this.headers.putAll(headers);
            this.now = now;
        }

        void read() {
            if (headers.containsKey("Retry-After")) {
                String field = field("Retry-After");
                List<String> values = COMMA.splitAsStream(field).filter(value -> !value.isBlank()).toList();
                values.forEach(value -> understand("Retry-After", value, time(value.strip())));
                if (values.isEmpty()) {
                    understand("Retry-After", field, null);
                }
            }
            if (longest == null && (status == 429 || status == 503) && headers.containsKey("RateLimit")) {
                readRateLimit(field("RateLimit"));
            }
        }

        private String field(String name) {
            return headers.get(name).stream().filter(value -> !value.isBlank()).collect(Collectors.joining(","));
        }

        /** @param time {@code null} if the value is not understood */
        private void understand(String header, String value, Duration time) {
            if (time == null || time.compareTo(Limit.MAX_PERIOD) > 0) {
                String printable = value.replaceAll("[^ -~]", "");
                notUnderstood.add(header + ": "
                        + printable.substring(0, Math.min(printable.length(), LONGEST_SHOWN)));
            } else {
                longest = longest == null ? time : LimitUsage.longer(longest, time);
            }
        }

        private Duration time(String value) {
            if (SECONDS.matcher(value).matches()) {
                BigDecimal millis = new BigDecimal(value).movePointRight(3);
                return millis.compareTo(MAX_MILLIS) > 0 ? null
                        : Duration.ofMillis(millis.setScale(0, RoundingMode.CEILING).longValueExact());
            }
            Instant until = date(value);
            if (until == null) {
                return null;
            }
            // a server may add its own after that of the service
            Instant sent = headers.containsKey("Date") ? date(headers.get("Date").get(0).strip()) : null;
            Duration left = Duration.between(sent == null ? now : sent, until);
            return left.isNegative() ? Duration.ZERO : left;
        }

        /** Returns {@code null} for a text that is no date of HTTP. */
        private Instant date(String text) {
            for (Pattern form : DATES) {
                Matcher date = form.matcher(text);
                if (date.matches()) {
                    String time = date.group("time");
                    boolean isLeapSecond = time.equals(LEAP_SECOND);
                    try {
                        return ZonedDateTime.parse(date.group("weekday") + ", " + date.group("day").replace(' ', '0') + ' '
                                + date.group("month") + ' ' + year(date.group("year")) + ' '
                                + (isLeapSecond ? "23:59:59" : time) + " GMT", DATE).toInstant()
                                .plusSeconds(isLeapSecond ? 1 : 0);
                    } catch (DateTimeException noDate) {
                        return null;
                    }
                }
            }
            return null;
        }

        /** Returns the year in full. One of two digits is at most 50 years ahead. */
        private String year(String digits) {
            int first = now.atZone(ZoneOffset.UTC).getYear() - 49;
            return digits.length() > 2 ? digits
                    : String.valueOf(first + Math.floorMod(Integer.parseInt(digits) - first, 100));
        }

        private void readRateLimit(String field) {
            Matcher member = MEMBER.matcher(field);
            List<String> waits = new ArrayList<>();
            int end = 0;
            while (end < field.length() && member.region(end, field.length()).lookingAt()) {
                String remaining = null, wait = null;
                Matcher parameter = PARAMETER.matcher(member.group(1));
                while (parameter.find()) {
                    remaining = parameter.group(1).equals("r") ? parameter.group(2) : remaining;
                    wait = parameter.group(1).equals("t") ? parameter.group(2) : wait;
                }
                if (remaining != null && wait != null && ZERO.matcher(remaining).matches()) {
                    waits.add(wait);
                }
                end = member.end();
            }
            if (end < field.length()) {
                understand("RateLimit", field, null);
            } else {
                waits.forEach(wait -> understand("RateLimit", field,
                        wait.matches("[0-9]{1,15}") ? Duration.ofSeconds(Long.parseLong(wait)) : null));
            }
        }
    }
}
