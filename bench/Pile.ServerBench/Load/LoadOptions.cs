using System;
using System.Globalization;

namespace Pile.ServerBench.Load;

/// <summary>What a load is.</summary>
internal sealed record LoadOptions
{
    internal required Uri Address { get; init; }

    internal required string Kind { get; init; }

    /// <summary>Batches that are under way at a time.</summary>
    internal int UnderWay { get; init; } = 16;

    /// <summary>Items of a batch.</summary>
    internal int Batch { get; init; } = 64;

    internal int Keys { get; init; } = 1_000_000;

    internal int ValueBytes { get; init; } = 100;

    internal static LoadOptions Parse(string address, string kind, string[] args)
    {
        var options = new LoadOptions { Address = new Uri(address), Kind = kind is "one" or "get" or "set" or "fill" ? kind : throw new ArgumentException($"'{kind}' is no load: one, get, set or fill.") };
        for (int index = 0; index < args.Length; index++)
        {
            int Next() => ++index < args.Length ? int.Parse(args[index], CultureInfo.InvariantCulture) : throw new ArgumentException($"{args[index - 1]} wants a number.");
            options = args[index] switch
            {
                "--under-way" => options with { UnderWay = Next() },
                "--batch" => options with { Batch = Next() },
                "--keys" => options with { Keys = Next() },
                "--value" => options with { ValueBytes = Next() },
                string other => throw new ArgumentException($"'{other}' is not an option of load."),
            };
        }

        return options;
    }
}
