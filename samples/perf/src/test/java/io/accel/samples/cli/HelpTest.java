// SPDX-License-Identifier: Apache-2.0
package io.accel.samples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** The help of each command. */
class HelpTest {
    private static List<CommandLine> all(CommandLine command) {
        List<CommandLine> all = new ArrayList<>(List.of(command));
        command.getSubcommands().values().forEach(each -> all.addAll(all(each)));
        return all;
    }

    /** Picocli complains about an unknown command, above the help. */
    @Test
    void itsTextsAreFormatsWithoutArguments() {
        List<CommandLine> commands = all(PerfMain.commandLine());
        assertThat(commands).hasSizeGreaterThan(4);
        for (CommandLine command : commands) {
            UsageMessageSpec usage = command.getCommandSpec().usageMessage();
            List<String> texts = new ArrayList<>(List.of(usage.description()));
            texts.addAll(List.of(usage.footer()));
            command.getCommandSpec().options().forEach(option -> texts.addAll(List.of(option.description())));
            for (String text : texts) {
                assertThat(String.format(text)).as(command.getCommandName()).isNotNull();
            }
        }
    }
}
