// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.it.programs;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A client of a database by JDBC, the database's address as its argument. Does what each line of its standard input says, and
 * answers {@code OK} with the line.
 */
public final class DatabaseLoad {
    private DatabaseLoad() {}

    public static void main(String[] args) throws Exception {
        Console console = new Console();
        try (Connection connection = DriverManager.getConnection(args[0], "sa", "")) {
            console.say("CONNECTED");
            while (true) {
                String line = console.next();
                String[] words = line.split(" ", -1);
                switch (words[0]) {
                    case "FILL" -> fill(connection, Integer.parseInt(words[1]));
                    case "SUM" -> sum(connection, Integer.parseInt(words[1]));
                    case "BLOB" -> blob(connection, Integer.parseInt(words[1]));
                    case "ROLLBACK" -> rollback(connection);
                    default -> throw new IllegalArgumentException(line);
                }
                console.say("OK " + line);
            }
        }
    }

    private static void fill(Connection connection, int rows) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(100), amount BIGINT)");
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO item VALUES (?, ?, ?)")) {
            for (int i = 0; i < rows; i++) {
                insert.setInt(1, i);
                insert.setString(2, "item " + i);
                insert.setLong(3, i * 7L);
                check(insert.executeUpdate() == 1, "one row inserted");
            }
        }
    }

    private static void sum(Connection connection, int rows) throws SQLException {
        long sum = 0;
        int seen = 0;
        try (PreparedStatement select = connection.prepareStatement("SELECT id, name, amount FROM item ORDER BY id")) {
            select.setFetchSize(50);
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    check(row.getInt(1) == seen, "row " + seen);
                    check(row.getString(2).equals("item " + seen), "its name");
                    sum += row.getLong(3);
                    seen++;
                }
            }
        }
        check(seen == rows, rows + " rows, not " + seen);
        check(sum == 7L * rows * (rows - 1) / 2, "the sum");
    }

    private static void blob(Connection connection, int length) throws SQLException, IOException {
        byte[] bytes = new byte[length];
        new java.util.Random(length).nextBytes(bytes);
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE picture (id INT PRIMARY KEY, content BLOB)");
        }
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO picture VALUES (1, ?)")) {
            insert.setBinaryStream(1, new ByteArrayInputStream(bytes), length);
            insert.executeUpdate();
        }
        try (Statement select = connection.createStatement();
                ResultSet row = select.executeQuery("SELECT content FROM picture WHERE id = 1")) {
            check(row.next(), "a picture");
            try (InputStream content = row.getBinaryStream(1)) {
                check(java.util.Arrays.equals(content.readAllBytes(), bytes), "the same bytes");
            }
        }
    }

    private static void rollback(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("DELETE FROM item");
            connection.rollback();
        } finally {
            connection.setAutoCommit(true);
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new IllegalStateException("expected " + what);
        }
    }
}
