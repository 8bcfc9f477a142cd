package io.quarkiverse.ratelimit.it.threads;

import jakarta.inject.Inject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;

import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.common.annotation.RunOnVirtualThread;

/** What runs on virtual threads: limited itself, or calling what is. */
@Path("/virtual")
@RunOnVirtualThread
public class VirtualResource {

    @Inject
    VirtualBean bean;

    @GET
    @Path("resource")
    @RateLimited("three-for-each")
    public String resource() {
        return VirtualBean.thread();
    }

    @GET
    @Path("bean")
    public String bean() {
        return bean.call();
    }

    @GET
    @Path("uni-of-bean")
    public String uni() {
        bean.uni().await().indefinitely();
        return VirtualBean.thread();
    }

    @GET
    @Path("multi-of-bean")
    public String multi() {
        bean.multi().collect().asList().await().indefinitely();
        return VirtualBean.thread();
    }
}
