0 ok config-profiles/default-test 332 0 0 0
0 ok nio-samples/default-test 4 0 0 0
0 ok config-profiles/parsers 17 0 0 0
0 ok perf/default-test 195 0 0 0
