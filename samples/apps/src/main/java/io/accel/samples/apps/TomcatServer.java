package io.accel.samples.apps;

import io.accel.samples.bench.Parameters;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** Tomcat with its NIO connector and one servlet, which answers with 1 KiB. Argument: {@code dir}. */
public final class TomcatServer {
    static final int BODY_BYTES = 1024;

    private TomcatServer() {}

    /** What is asked for. */
    private static final class Answer extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.setContentType("text/plain");
            response.setContentLength(BODY_BYTES);
            response.getOutputStream().write("x".repeat(BODY_BYTES).getBytes(StandardCharsets.US_ASCII));
        }
    }

    public static void main(String[] args) throws Exception {
        String directory = Parameters.parse(args).text("dir");
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(directory);
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        // As many as it takes: a connection is not to end because it had a hundred requests.
        tomcat.getConnector().setProperty("maxKeepAliveRequests", "-1");
        Context context = tomcat.addContext("", directory);
        Tomcat.addServlet(context, "answer", new Answer());
        context.addServletMappingDecoded("/", "answer");
        tomcat.start();
        ServerMain.serve(tomcat.getConnector().getLocalPort());
    }
}
