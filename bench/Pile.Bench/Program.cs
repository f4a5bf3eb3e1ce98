using System;
using Pile.Bench.Goals;
using Pile.Bench.Mapped;
using Pile.Bench.Micro;
using Pile.Bench.Running;
using Pile.Bench.Strings;

const string Usage = """
    Pile.Bench table [--objects N] [--rounds R] [--quick] [--only name,...] [--json path]
                      the rows of the goals that are ratios, ours and theirs interleaved; --quick is a smoke
    Pile.Bench codec [--rounds R] [--quick] [--only name,...] [--json path]
                      the general codec: against System.Text.Json, memcpy and itself inside a pile
    Pile.Bench mapped [--objects N] [--rounds R] [--quick] [--only name,...] [--directory path] [--json path]
                      piles in files: opens, recoveries, writes, commits, against bare loops and foreign programs
    Pile.Bench cache [--objects N] [--rounds R] [--quick] [--only name,...] [--directory path] [--json path]
                      the cache: memory beside Redis, two threads, slow reads under eviction, entries that end
    Pile.Bench server [--objects N] [--rounds R] [--quick] [--only name,...] [--directory path] [--json path]
                      the cache server against Kestrel and Redis, a core each; bench/server.sh builds what it starts
    Pile.Bench status [folder] [--write]
                      where the goals stand, from the results in a folder; --write renews docs/STATUS.md
    Pile.Bench list   names of the workloads
    Pile.Bench bdn [filter ...]
                      BenchmarkDotNet microbenchmarks with allocations
    Pile.Bench strings [--rounds R] [--quick]
                      ways to store text, compared
    """;

try
{
    return Run(args);
}
catch (OptionException wrong)
{
    Console.Error.WriteLine($"{wrong.Message}\n\n{Usage}");
    return 2;
}

static int Run(string[] args)
{
    switch (args)
    {
        case ["table", .. string[] rest]:
            return TableCommand.Run(TableFace.Table, rest);
        case ["codec", .. string[] rest]:
            return TableCommand.Run(TableFace.Codec, rest);
        case ["mapped", .. string[] rest]:
            return TableCommand.Run(TableFace.Mapped, rest);
        case ["cache", .. string[] rest]:
            return TableCommand.Run(TableFace.Cache, rest);
        case ["server", .. string[] rest]:
            return TableCommand.Run(TableFace.Server, rest);
        case [MappedChild.Verb, .. string[] rest]:
            return MappedChild.Run(rest);
        case ["status", .. string[] rest]:
            return GoalCommand.Run(rest);
        case ["list"]:
            TableCommand.List();
            return 0;
        case ["bdn", .. string[] rest]:
            return MicroCommand.Run(rest);
        case ["strings", .. string[] rest]:
            return StringsCommand.Run(rest);
        default:
            Console.Error.WriteLine(Usage);
            return 2;
    }
}
