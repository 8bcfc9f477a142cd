package org.acme.paths;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;

/** Has no annotation: a route limits its path. */
@Path("/catalog/items")
public class CatalogResource {

    @GET
    public String items() {
        return "tea, coffee";
    }

    @POST
    public String add(String item) {
        return "added";
    }
}
