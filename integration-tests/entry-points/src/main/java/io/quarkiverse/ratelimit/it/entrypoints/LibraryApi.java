package io.quarkiverse.ratelimit.it.entrypoints;

import java.util.List;

import jakarta.inject.Inject;

import org.eclipse.microprofile.graphql.GraphQLApi;
import org.eclipse.microprofile.graphql.Mutation;
import org.eclipse.microprofile.graphql.Query;
import org.eclipse.microprofile.graphql.Source;

import io.quarkiverse.ratelimit.RateLimitCost;
import io.quarkiverse.ratelimit.RateLimitKey;
import io.quarkiverse.ratelimit.RateLimited;
import io.smallrye.graphql.api.Subscription;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;

@GraphQLApi
public class LibraryApi {

    public record Book(String title) {
    }

    public static class Order {
        public String title;
        private Reader reader;

        public Reader getReader() {
            return reader;
        }

        public void setReader(Reader reader) {
            this.reader = reader;
        }
    }

    public static class Reader {
        public String name;
    }

    @Inject
    Courier courier;

    @Inject
    OwnLimits limits;

    @Query
    public String opening() {
        return "9 to 5";
    }

    @Query
    @RateLimited("calls")
    public Book book() {
        return new Book("Emma");
    }

    @Query
    @RateLimited("calls")
    public Uni<Book> uni() {
        return Uni.createFrom().item(new Book("Emma"));
    }

    @Query
    @RateLimited("calls-by-user")
    public String mine() {
        return "mine";
    }

    @Query
    @RateLimited("spread")
    public String spread() {
        return "spread";
    }

    @Query
    public String left(String policy) {
        return limits.left(policy);
    }

    @Query
    @RateLimited("ten")
    public List<Book> books(@RateLimitCost int first) {
        return List.of(new Book("Emma"));
    }

    @Query
    @RateLimited("by-argument")
    @RateLimited("calls")
    public String search(@RateLimitKey(policies = "by-argument") String reader) {
        return reader;
    }

    @Query
    public List<Book> shelf() {
        return List.of(new Book("Emma"), new Book("Persuasion"), new Book("Sanditon"));
    }

    @RateLimited("calls")
    public String summary(@Source Book book) {
        return "About " + book.title();
    }

    @RateLimited("calls")
    public List<String> loans(@Source List<Book> books) {
        return books.stream().map(Book::title).toList();
    }

    @Mutation
    @RateLimited("calls-by-reader")
    public String order(@RateLimitKey("reader.name") Order order) {
        return order.title;
    }

    @Mutation
    @RateLimited("calls")
    public String lend(String title) {
        return title;
    }

    @Query
    public Uni<String> delivery() {
        return courier.send();
    }

    @Subscription
    @RateLimited("calls")
    public Multi<String> news() {
        return Multi.createFrom().item("reopened");
    }

    @Query
    public String broken() {
        throw new IllegalStateException("broken");
    }
}
