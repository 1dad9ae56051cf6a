// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Looks up rows by their key, one after the other, by Derby's JDBC driver. Argument: {@code port}. */
public final class DerbyLookups {
    private static final int ROWS = 1000;

    private final PreparedStatement statement;
    private int next;

    private DerbyLookups(PreparedStatement statement) {
        this.statement = statement;
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Operations.parameters(args);
        String url = "jdbc:derby://127.0.0.1:" + parameters.number("port") + "/memory:bench;create=true";
        try (Connection connection = DriverManager.getConnection(url)) {
            fill(connection);
            try (PreparedStatement statement = connection.prepareStatement("SELECT name FROM item WHERE id = ?")) {
                Operations.execute(new DerbyLookups(statement)::lookUp, parameters);
            }
        }
    }

    private static void fill(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(100))");
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO item VALUES (?, ?)")) {
            for (int i = 0; i < ROWS; i++) {
                insert.setInt(1, i);
                insert.setString(2, "item " + i);
                insert.executeUpdate();
            }
        }
    }

    private void lookUp() throws SQLException {
        next = (next + 1) % ROWS;
        statement.setInt(1, next);
        try (ResultSet found = statement.executeQuery()) {
            if (!found.next() || !found.getString(1).equals("item " + next)) {
                throw new SQLException("item " + next + " is not what was put in");
            }
        }
    }
}
