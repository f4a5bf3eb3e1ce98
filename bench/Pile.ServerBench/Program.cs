using System;
using Pile.ServerBench;
using Pile.ServerBench.Load;

const string Usage = """
    The processes that bench/server.sh measures with; each tells by lines, and does what lines tell it.
    Pile.ServerBench bare PORT BYTES        Kestrel alone: answers every call over HTTP/2 with as many bytes
    Pile.ServerBench serve ARGUMENTS        the cache server in this process, which tells what it has allocated
    Pile.ServerBench load ADDRESS KIND [--under-way N] [--batch N] [--keys N] [--value BYTES]
                                            one: single Gets; get, set: batches of random keys on one stream; fill: all keys once
    Pile.ServerBench calls ADDRESS on|off KEYS
                                            Gets by Pile.Client, with or without batches; a line is a number of callers and one of seconds
    Pile.ServerBench first ADDRESS KEY      calls Get for the key of a number until there is a hit
    """;

switch (args)
{
    case ["bare", string port, string bytes]:
        return BareEndpoint.Run(port, bytes);
    case ["serve", .. string[] rest]:
        return ServedHere.Run(rest);
    case ["load", string address, string kind, .. string[] rest]:
        return LoadCommand.Run(address, kind, rest);
    case ["calls", string address, "on" or "off", string keys]:
        return ClientCalls.Run(address, args[2] == "on", keys);
    case ["first", string address, string key]:
        return FirstHit.Run(address, key);
    default:
        Console.Error.WriteLine(Usage);
        return 2;
}
