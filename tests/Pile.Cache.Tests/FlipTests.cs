using System;
using System.IO;
using System.Linq;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A byte of a closed cache's files is changed: no entry ever has another value.</summary>
public sealed class FlipTests(ITestOutputHelper output)
{
    private const int Flips = 120;
    private const int Keys = 600;
    private const int ReachBytes = 96 << 10;

    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public void AChangedByteIsNeverAWrongValue(PileTableKind kind)
    {
        using var origin = new TemporaryDirectory();
        using var changed = new TemporaryDirectory();
        var options = new PileCacheOptions { MemoryLimitBytes = 8 << 20 };
        using (PileCache cache = PileCache.Open(origin.Path, options, PileOptions.Tiny))
        {
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table", new PileTableOptions { Kind = kind });
            for (int key = 0; key < Keys; key++)
            {
                table.Set(key, RestartTests.Value(key + 1, key % 3 == 0 ? 4 : 80));
                table.Set(key, RestartTests.Value(key, 80), new PileEntryOptions { SlidingExpiration = TimeSpan.FromDays(key % 2 == 0 ? 1 : 2) });
            }
        }

        var random = new Random(Seeds.Next(17));
        (int refused, int empty, int whole, int damaged) = (0, 0, 0, 0);
        for (int flip = 0; flip < Flips; flip++)
        {
            Copy(origin.Path, changed.Path);
            string[] files = [.. Directory.GetFiles(changed.Path, "*", SearchOption.AllDirectories).Where(static file => new FileInfo(file).Length > 0 && !file.EndsWith("lock", StringComparison.Ordinal))];
            string path = files[random.Next(3) == 0 ? Array.FindIndex(files, static file => file.Contains("index.", StringComparison.Ordinal)) : random.Next(files.Length)];
            using (FileStream file = File.Open(path, FileMode.Open))
            {
                file.Position = random.NextInt64(long.Min(file.Length, ReachBytes));
                int old = file.ReadByte();
                file.Position--;
                file.WriteByte((byte)(old ^ (1 << random.Next(8))));
            }

            try
            {
                using PileCache cache = PileCache.Open(changed.Path, options, PileOptions.Tiny);
                int there = Read(cache, $"flip {flip} of {Path.GetFileName(path)}");
                (empty, whole, damaged) = (empty + (there == 0 ? 1 : 0), whole + (there == Keys ? 1 : 0), damaged + (there is > 0 and < Keys ? 1 : 0));
            }
            catch (PileException)
            {
                refused++;
            }
        }

        output.WriteLine($"{Flips} flips: {refused} refused, {empty} started empty, {damaged} lost entries, {whole} lost none");

        // A durable table never starts empty: its index is built anew, and what is damaged in the log is one entry's.
        Assert.True(kind == PileTableKind.Durable ? empty == 0 && whole > Flips / 4 : empty > 0 && whole > 0);
    }

    private static int Read(PileCache cache, string what)
    {
        int there = 0;
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
        for (int key = 0; key < Keys; key++)
        {
            if (table.TryGet(key, out byte[]? value))
            {
                Assert.True(RestartTests.Value(key, 80).AsSpan().SequenceEqual(value), $"{what}: key {key} has another value");
                there++;
            }
        }

        // An empty table is said to be one.
        Assert.True(there > 0 || cache.Recovery.Count == 0 || !cache.Recovery[0].IsKept || cache.Recovery[0].Entries == 0, what);
        return there;
    }

    private static void Copy(string source, string target)
    {
        if (Directory.Exists(target))
        {
            Directory.Delete(target, recursive: true);
        }

        foreach (string directory in Directory.GetDirectories(source, "*", SearchOption.AllDirectories).Append(source))
        {
            Directory.CreateDirectory(target + directory[source.Length..]);
        }

        foreach (string file in Directory.GetFiles(source, "*", SearchOption.AllDirectories))
        {
            using FileStream from = File.OpenRead(file);
            using FileStream to = File.Create(target + file[source.Length..]);
            byte[] bytes = new byte[1 << 16];
            to.SetLength(from.Length);
            for (int read = from.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false); read > 0; read = from.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false))
            {
                // Holes stay holes.
                if (bytes.AsSpan(0, read).ContainsAnyExcept((byte)0))
                {
                    to.Position = from.Position - read;
                    to.Write(bytes, 0, read);
                }
            }
        }
    }
}
