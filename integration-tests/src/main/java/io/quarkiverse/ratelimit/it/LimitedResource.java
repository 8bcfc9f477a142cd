package io.quarkiverse.ratelimit.it;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;

import io.quarkiverse.ratelimit.RateLimited;

/** One endpoint for each policy. */
@Path("/limited")
public class LimitedResource {

    private final Mailer mailer;
    private final Warnings warnings;

    LimitedResource(Mailer mailer, Warnings warnings) {
        this.mailer = mailer;
        this.warnings = warnings;
    }

    @GET
    @Path("/five-for-each")
    @RateLimited("five-for-each")
    public String fiveForEach() {
        return "one of five";
    }

    @GET
    @Path("/mails")
    public String mails() {
        return mailer.send();
    }

    @GET
    @Path("/warned")
    @RateLimited("warned")
    public String warned() {
        return "one of ten";
    }

    /** How many events this instance has observed, and how many warnings it has sent. */
    @GET
    @Path("/warnings")
    public String warnings() {
        return warnings.observed() + " " + warnings.sent();
    }

    @GET
    @Path("/thousand")
    @RateLimited("thousand")
    public String thousand() {
        return "one of a thousand";
    }

    @GET
    @Path("/thousand-a-year")
    @RateLimited("thousand-a-year")
    public String thousandAYear() {
        return "thousand-a-year";
    }

    @GET
    @Path("/thousand-sliding")
    @RateLimited("thousand-sliding")
    public String thousandSliding() {
        return "thousand-sliding";
    }

    @GET
    @Path("/thousand-logged")
    @RateLimited("thousand-logged")
    public String thousandLogged() {
        return "thousand-logged";
    }

    @GET
    @Path("/prefetched")
    @RateLimited("prefetched")
    public String prefetched() {
        return "prefetched";
    }

    @GET
    @Path("/paced")
    @RateLimited("paced")
    public String paced() {
        return "paced";
    }

    @GET
    @Path("/mixed")
    @RateLimited("mixed")
    public String mixed() {
        return "mixed";
    }

    /** Works on a worker thread for {@code millis}. */
    @GET
    @Path("/ten-at-once")
    @RateLimited("ten-at-once")
    public String tenAtOnce(@QueryParam("millis") long millis) throws InterruptedException {
        Thread.sleep(millis);
        return "done";
    }

    /** Works for {@code millis}, and does not fail. */
    @GET
    @Path("/failures")
    @RateLimited("failures")
    public String failures(@QueryParam("millis") long millis) throws InterruptedException {
        Thread.sleep(millis);
        return "done";
    }

    @GET
    @Path("/crowd")
    @RateLimited("crowd")
    public String crowd() {
        return "one of many";
    }

    @GET
    @Path("/three-an-hour")
    @RateLimited("three-an-hour")
    public String threeAnHour() {
        return "one of three";
    }

    /** The time by the clock of the instance, on which no limit may depend. */
    @GET
    @Path("/time")
    @RateLimited("hundred-per-ten-seconds")
    public long time() {
        return System.currentTimeMillis();
    }
}
