using System;
using System.Linq;
using Pile.Cache.Files;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Large values, and objects of the program's, while they are replaced: entry and value are two objects, and a reader looks at one after the other.</summary>
public sealed class ReplacedValueTests
{
    private const int ValueBytes = 20_000;
    private static readonly byte[] _key = [1, 2, 3, 4];
    private static readonly byte[] _destination = new byte[ValueBytes];

    [Theory]
    [InlineData("copy", true)]
    [InlineData("lease", true)]
    [InlineData("many", true)]
    [InlineData("factory", true)]
    [InlineData("list", true)]
    [InlineData("scan", true)]
    [InlineData("scan", false)]
    public void AnEntryThatIsReplacedAgainAndAgainIsThereForEveryReader(string reader, bool inFiles)
    {
        using TinyCache tiny = new(32 << 20, backgroundCleaning: true, inFiles);
        byte[] value = new byte[ValueBytes];
        Race(reader, tiny.Table<byte[], byte[]>(DurableTests.Durable), rounds: 4000, table => table.Set(_key, value));
    }

    [Theory]
    [InlineData("copy", false)]
    [InlineData("lease", false)]
    [InlineData("many", false)]
    [InlineData("factory", false)]
    [InlineData("list", false)]
    [InlineData("scan", false)]
    [InlineData("look", false)]
    [InlineData("look", true)]
    public void AKeyThatIsGivenOneObjectAfterTheOtherIsThereForEveryReader(string reader, bool inFiles)
    {
        using TinyCache tiny = new(32 << 20, backgroundCleaning: true, inFiles);
        byte[] value = new byte[ValueBytes];
        Race(reader, tiny.Table<byte[], byte[]>(), rounds: 4000, table => table.SetPointer(_key, tiny.Cache.Pile.Put(value)));
    }

    private static void Race(string reader, PileTable<byte[], byte[]> table, int rounds, Func<PileTable<byte[], byte[]>, PileSetResult> store)
    {
        Assert.True(store(table).IsStored);
        using var failures = new Failures();
        failures.Run(
            () =>
            {
                for (int round = 0; round < rounds && !failures.IsOver; round++)
                {
                    failures.Unless(store(table).IsStored, "no room");
                }
            },
            () =>
            {
                while (!failures.IsOver)
                {
                    failures.Unless(IsThereFor(reader, table), "it was missed");
                }
            });
    }

    private static bool IsThereFor(string reader, PileTable<byte[], byte[]> table)
    {
        switch (reader)
        {
            case "copy":
                return table.TryGet(_key, _destination, out _);
            case "lease":
                bool isThere = table.TryLease(_key, out PileLease lease);
                lease.Dispose();
                return isThere;
            case "many":
                return table.GetMany<byte[], byte[]>([_key], new byte[]?[1]) == 1;
            case "factory":
                return table.GetOrAdd(_key, static _ => []).Length == ValueBytes;
            case "list":
                return table.Enumerate().Any();
            case "look":
                return table.ContainsKey(_key);
            default:
                return table.TryCopyUnused(_key, out _);
        }
    }
}
