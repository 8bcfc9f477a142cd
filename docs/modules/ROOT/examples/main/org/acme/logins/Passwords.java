package org.acme.logins;

import jakarta.inject.Singleton;

/** Stands for a real store of users. */
@Singleton
class Passwords {

    boolean match(String user, String password) {
        return "secret".equals(password);
    }
}
