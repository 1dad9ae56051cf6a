// SPDX-License-Identifier: Apache-2.0
package io.accel.nio.dropin;

import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/**
 * A program that knows nothing of Accel: starts Tomcat with the web application in the directory {@code app} of the directory that it
 * is given, and with a listener of that application's, and stops it.
 */
final class WebServer {
    private WebServer() {}

    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[0]);
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", Path.of(args[0]).resolve("app").toString());
        context.addApplicationListener(args[1]);
        tomcat.start();
        tomcat.stop();
        tomcat.destroy();
        System.out.println("stopped");
    }
}
