// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** Tomcat with one servlet, which answers with 1 KiB. Arguments: {@code dir}; {@code connector}, the name of its protocol class. */
public final class TomcatServer {
    private TomcatServer() {}

    /** The path of the requests. */
    private static final class Answer extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            response.setContentLength(HttpAnswer.BODY_BYTES);
            response.getOutputStream().write(HttpAnswer.body());
        }
    }

    public static void main(String[] args) throws Exception {
        Parameters parameters = Parameters.parse(args);
        String directory = parameters.text("dir");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(directory);
        Connector connector = new Connector("org.apache.coyote.http11." + parameters.text("connector"));
        connector.setPort(0);
        tomcat.setConnector(connector);
        connector.setProperty("address", "127.0.0.1");
        // Without a limit: a connection must not end because it had a hundred requests.
        connector.setProperty("maxKeepAliveRequests", "-1");
        Context context = tomcat.addContext("", directory);
        Tomcat.addServlet(context, "answer", new Answer());
        context.addServletMappingDecoded("/", "answer");
        tomcat.start();
        ServerMain.serve(connector.getLocalPort());
    }
}
