package io.quarkiverse.ratelimit.benchmarks.start;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

/** A resource without limits. */
@Path("/quotes")
public class QuoteResource {

    @GET
    public String quote() {
        return "Festina lente.";
    }

    @GET
    @Path("b")
    public String b() {
        return "b";
    }

    @GET
    @Path("c")
    public String c() {
        return "c";
    }

    @GET
    @Path("d")
    public String d() {
        return "d";
    }

    @GET
    @Path("e")
    public String e() {
        return "e";
    }

    @GET
    @Path("f")
    public String f() {
        return "f";
    }

    @GET
    @Path("g")
    public String g() {
        return "g";
    }

    @GET
    @Path("h")
    public String h() {
        return "h";
    }

    @GET
    @Path("i")
    public String i() {
        return "i";
    }

    @GET
    @Path("j")
    public String j() {
        return "j";
    }

    @GET
    @Path("k")
    public String k() {
        return "k";
    }

    @GET
    @Path("l")
    public String l() {
        return "l";
    }

    @GET
    @Path("m")
    public String m() {
        return "m";
    }

    @GET
    @Path("n")
    public String n() {
        return "n";
    }

    @GET
    @Path("o")
    public String o() {
        return "o";
    }

    @GET
    @Path("p")
    public String p() {
        return "p";
    }

    @GET
    @Path("q")
    public String q() {
        return "q";
    }

    @GET
    @Path("r")
    public String r() {
        return "r";
    }

    @GET
    @Path("s")
    public String s() {
        return "s";
    }

    @GET
    @Path("t")
    public String t() {
        return "t";
    }

    @GET
    @Path("u")
    public String u() {
        return "u";
    }

    @GET
    @Path("v")
    public String v() {
        return "v";
    }

    @GET
    @Path("w")
    public String w() {
        return "w";
    }

    @GET
    @Path("x")
    public String x() {
        return "x";
    }

    @GET
    @Path("y")
    public String y() {
        return "y";
    }

    @GET
    @Path("z")
    public String z() {
        return "z";
    }
}
