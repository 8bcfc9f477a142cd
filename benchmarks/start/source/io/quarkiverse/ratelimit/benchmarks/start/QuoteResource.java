package io.quarkiverse.ratelimit.benchmarks.start;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

/** Each application replaces the properties in this source by its own limits. */
@Path("/quotes")
public class QuoteResource {

    @GET
    ${limit.first}
    public String quote() {
        return "Festina lente.";
    }

    @GET
    @Path("b")
    ${limit.each}("b")
    public String b() {
        return "b";
    }

    @GET
    @Path("c")
    ${limit.each}("c")
    public String c() {
        return "c";
    }

    @GET
    @Path("d")
    ${limit.each}("d")
    public String d() {
        return "d";
    }

    @GET
    @Path("e")
    ${limit.each}("e")
    public String e() {
        return "e";
    }

    @GET
    @Path("f")
    ${limit.each}("f")
    public String f() {
        return "f";
    }

    @GET
    @Path("g")
    ${limit.each}("g")
    public String g() {
        return "g";
    }

    @GET
    @Path("h")
    ${limit.each}("h")
    public String h() {
        return "h";
    }

    @GET
    @Path("i")
    ${limit.each}("i")
    public String i() {
        return "i";
    }

    @GET
    @Path("j")
    ${limit.each}("j")
    public String j() {
        return "j";
    }

    @GET
    @Path("k")
    ${limit.each}("k")
    public String k() {
        return "k";
    }

    @GET
    @Path("l")
    ${limit.each}("l")
    public String l() {
        return "l";
    }

    @GET
    @Path("m")
    ${limit.each}("m")
    public String m() {
        return "m";
    }

    @GET
    @Path("n")
    ${limit.each}("n")
    public String n() {
        return "n";
    }

    @GET
    @Path("o")
    ${limit.each}("o")
    public String o() {
        return "o";
    }

    @GET
    @Path("p")
    ${limit.each}("p")
    public String p() {
        return "p";
    }

    @GET
    @Path("q")
    ${limit.each}("q")
    public String q() {
        return "q";
    }

    @GET
    @Path("r")
    ${limit.each}("r")
    public String r() {
        return "r";
    }

    @GET
    @Path("s")
    ${limit.each}("s")
    public String s() {
        return "s";
    }

    @GET
    @Path("t")
    ${limit.each}("t")
    public String t() {
        return "t";
    }

    @GET
    @Path("u")
    ${limit.each}("u")
    public String u() {
        return "u";
    }

    @GET
    @Path("v")
    ${limit.each}("v")
    public String v() {
        return "v";
    }

    @GET
    @Path("w")
    ${limit.each}("w")
    public String w() {
        return "w";
    }

    @GET
    @Path("x")
    ${limit.each}("x")
    public String x() {
        return "x";
    }

    @GET
    @Path("y")
    ${limit.each}("y")
    public String y() {
        return "y";
    }

    @GET
    @Path("z")
    ${limit.each}("z")
    public String z() {
        return "z";
    }
}
