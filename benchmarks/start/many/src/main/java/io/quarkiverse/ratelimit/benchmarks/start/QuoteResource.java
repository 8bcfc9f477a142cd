package io.quarkiverse.ratelimit.benchmarks.start;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;

/** The same resource with a limit of this extension, and a policy, on each of 26 methods. */
@Path("/quotes")
public class QuoteResource {

    @GET
    @RateLimited("a")
    public String quote() {
        return "Festina lente.";
    }

    @GET
    @Path("b")
    @RateLimited("b")
    public String b() {
        return "b";
    }

    @GET
    @Path("c")
    @RateLimited("c")
    public String c() {
        return "c";
    }

    @GET
    @Path("d")
    @RateLimited("d")
    public String d() {
        return "d";
    }

    @GET
    @Path("e")
    @RateLimited("e")
    public String e() {
        return "e";
    }

    @GET
    @Path("f")
    @RateLimited("f")
    public String f() {
        return "f";
    }

    @GET
    @Path("g")
    @RateLimited("g")
    public String g() {
        return "g";
    }

    @GET
    @Path("h")
    @RateLimited("h")
    public String h() {
        return "h";
    }

    @GET
    @Path("i")
    @RateLimited("i")
    public String i() {
        return "i";
    }

    @GET
    @Path("j")
    @RateLimited("j")
    public String j() {
        return "j";
    }

    @GET
    @Path("k")
    @RateLimited("k")
    public String k() {
        return "k";
    }

    @GET
    @Path("l")
    @RateLimited("l")
    public String l() {
        return "l";
    }

    @GET
    @Path("m")
    @RateLimited("m")
    public String m() {
        return "m";
    }

    @GET
    @Path("n")
    @RateLimited("n")
    public String n() {
        return "n";
    }

    @GET
    @Path("o")
    @RateLimited("o")
    public String o() {
        return "o";
    }

    @GET
    @Path("p")
    @RateLimited("p")
    public String p() {
        return "p";
    }

    @GET
    @Path("q")
    @RateLimited("q")
    public String q() {
        return "q";
    }

    @GET
    @Path("r")
    @RateLimited("r")
    public String r() {
        return "r";
    }

    @GET
    @Path("s")
    @RateLimited("s")
    public String s() {
        return "s";
    }

    @GET
    @Path("t")
    @RateLimited("t")
    public String t() {
        return "t";
    }

    @GET
    @Path("u")
    @RateLimited("u")
    public String u() {
        return "u";
    }

    @GET
    @Path("v")
    @RateLimited("v")
    public String v() {
        return "v";
    }

    @GET
    @Path("w")
    @RateLimited("w")
    public String w() {
        return "w";
    }

    @GET
    @Path("x")
    @RateLimited("x")
    public String x() {
        return "x";
    }

    @GET
    @Path("y")
    @RateLimited("y")
    public String y() {
        return "y";
    }

    @GET
    @Path("z")
    @RateLimited("z")
    public String z() {
        return "z";
    }
}
