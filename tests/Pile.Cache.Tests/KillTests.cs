using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using Pile.Cache.Tests.Model;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Processes that use a cache with four threads are killed at any time; what they acknowledged is there, and nothing else.</summary>
[Trait("Category", "Crash")]
public sealed class KillTests(ITestOutputHelper output)
{
    // What a thread may have had in its hands: the chains of one split.
    private const int LossOfThreadMax = 64;

    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public void AKilledProcessLosesAtMostWhatItWasMovingAndBringsNothingBack(PileTableKind kind)
    {
        using var directory = new TemporaryDirectory();
        var held = new Dictionary<int, int>();
        long acknowledged = 0;
        int lost = 0;
        int version = 1;
        for (int kill = 0; kill < 20; kill++)
        {
            var underWay = new Dictionary<int, (int Key, int Version)>();
            foreach ((int thread, bool isDone, int key, int version) message in Victim(directory.Path, kind, kill, version, messages: 2000 + (kill * 900)))
            {
                version = int.Max(version, message.version + 1);
                if (!message.isDone)
                {
                    underWay[message.thread] = (message.key, message.version);
                    continue;
                }

                _ = underWay.Remove(message.thread);
                held[message.key] = message.version;
                acknowledged++;
            }

            lost += Compare(directory.Path, held, underWay);
            Assert.True(lost == 0 || kind == PileTableKind.Speculative, $"{lost} durable entries are lost");
        }

        output.WriteLine($"{acknowledged:N0} calls acknowledged, {held.Count:N0} keys, {lost} entries lost by 20 kills");
        Assert.True(acknowledged > 10_000);
    }

    /// <summary>Opens what a kill has left, and takes what was under way as it is.</summary>
    private static int Compare(string directory, Dictionary<int, int> held, Dictionary<int, (int Key, int Version)> underWay)
    {
        using PileCache cache = CacheVictim.Open(directory);
        PileTableRecovery found = Assert.Single(cache.Recovery);
        Assert.True(found.IsKept, found.Reason);
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
        int lost = 0;
        for (int key = 0; key < CacheVictim.Threads * CacheVictim.KeysOfThread; key++)
        {
            int version = held.GetValueOrDefault(key);
            int there = table.TryGet(key, out byte[]? value) ? BinaryPrimitives.ReadInt32LittleEndian(value) : 0;
            bool isUnderWay = underWay.TryGetValue(key / CacheVictim.KeysOfThread, out (int Key, int Version) call) && call.Key == key;
            Assert.True(there == version || there == 0 || (isUnderWay && there == call.Version), $"key {key} has version {there} instead of {version}");
            Assert.True(there == 0 || CacheVictim.Value(key, there).AsSpan().SequenceEqual(value), $"key {key} has another value than its version {there}");
            lost += there == 0 && version != 0 && !isUnderWay ? 1 : 0;
            held[key] = there;
        }

        Assert.True(lost <= CacheVictim.Threads * LossOfThreadMax, $"{lost} entries are lost");
        PileVerifyReport report = cache.Pile.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
        return lost;
    }

    private static List<(int Thread, bool IsDone, int Key, int Version)> Victim(string directory, PileTableKind kind, int seed, int firstVersion, int messages)
    {
        string separator = Path.DirectorySeparatorChar.ToString();
        string folder = AppContext.BaseDirectory.Replace($"{separator}Pile.Cache.Tests{separator}", $"{separator}Pile.Faults{separator}", StringComparison.Ordinal);
        string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"));
        var start = new ProcessStartInfo(host, [Path.Combine(folder, "Pile.Faults.dll"), "kill-cache", directory, $"{seed}", $"{firstVersion}", $"{kind}"]) { RedirectStandardOutput = true, RedirectStandardError = true };
        using Process process = Process.Start(start)!;
        List<(int Thread, bool IsDone, int Key, int Version)> said = [];
        byte[] message = new byte[CacheVictim.MessageBytes];
        Stream pipe = process.StandardOutput.BaseStream;
        while (pipe.ReadAtLeast(message, message.Length, throwOnEndOfStream: false) == message.Length)
        {
            said.Add((message[0], message[1] != 0, BinaryPrimitives.ReadInt32LittleEndian(message.AsSpan(2)), BinaryPrimitives.ReadInt32LittleEndian(message.AsSpan(6))));
            if (said.Count == messages)
            {
                process.Kill();
            }
        }

        process.WaitForExit();
        Assert.True(said.Count >= messages, $"the process ended by itself: {process.StandardError.ReadToEnd()}");
        return said;
    }
}
