using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using Pile.Tests.Durability;
using Pile.Tests.Golden;

namespace Pile.Tool.Tests;

/// <summary>Piles that the command is let loose on: small ones made by the library, and the golden ones.</summary>
internal sealed class Piles : IDisposable
{
    internal const string Text = "the text that tests look for, long enough to be found in a file";
    internal const int LargeBytes = 100_000;
    private readonly TemporaryDirectory _directory = new();

    /// <summary>The root of the repository.</summary>
    internal static string Root { get; } = FindRoot();

    internal Piles() => _ = Directory.CreateDirectory(_directory.Path);

    public sealed class Customer
    {
        public string Name { get; set; } = "";

        public Customer? Friend { get; set; }

        public List<Order> Orders { get; set; } = [];
    }

    public sealed class Order
    {
        public int Number { get; set; }

        public Customer? Of { get; set; }

        public byte[] Mark { get; set; } = [];
    }

    internal static IEnumerable<string> GoldenNames { get; } = [.. Directory.GetFiles(GoldenFolder(), "*.golden").Select(path => Path.GetFileNameWithoutExtension(path)!).Order(StringComparer.Ordinal)];

    /// <summary>A path in the test's own directory.</summary>
    internal string PathOf(string name) => Path.Combine(_directory.Path, name);

    public void Dispose() => _directory.Dispose();

    /// <summary>A pile with an object of each lane, closed in order.</summary>
    internal string Make(string name = "pile", int many = 100)
    {
        string path = PathOf(name);
        using ObjectPile pile = ObjectPile.Open(path, Options);
        Fill(pile, many);
        return path;
    }

    internal static PileOptions Options => new() { DiskLimitBytes = 1L << 30, DiskReserveBytes = 0, BackgroundCleaning = false, WritersMax = 1 };

    internal static void Fill(ObjectPile pile, int many)
    {
        var ada = new Customer { Name = "Ada" };
        var charles = new Customer { Name = "Charles", Friend = ada };
        ada.Friend = charles;
        ada.Orders.AddRange([new Order { Number = 1, Of = ada, Mark = [1, 2, 3] }, new Order { Number = 2, Of = charles }]);
        pile.Roots.Set("ada", pile.Put(ada));
        pile.Roots.Set("text", pile.Put(Text));
        pile.Roots.Set("wide", pile.Put("\u4E16\u754C"));
        pile.Roots.Set("bytes", pile.PutBytes([.. Enumerable.Range(0, 256).Select(static index => (byte)index)]));
        pile.Roots.Set("value", pile.PutValue(42.5));
        pile.Roots.Set("span", pile.PutSpan<long>([1, 2, 3]));
        pile.Roots.Set("large", pile.PutBytes(Large));
        PilePointer deleted = pile.Put("deleted");
        pile.Roots.Set("deleted", deleted);
        _ = pile.Delete(deleted);
        for (int index = 0; index < many; index++)
        {
            _ = pile.Put(new Order { Number = index });
        }
    }

    internal static byte[] Large => [.. Enumerable.Range(0, LargeBytes).Select(static index => (byte)(index / 251))];

    /// <summary>A golden pile, unpacked.</summary>
    internal string Golden(string name)
    {
        string path = PathOf(name);
        using FileStream source = File.OpenRead(Path.Combine(GoldenFolder(), name + ".golden"));
        GoldenImage.Unpack(source, path);
        return path;
    }

    /// <summary>What stands in a directory: names, lengths, content, times of the last change.</summary>
    internal static string Fingerprint(string directory)
    {
        using var image = new MemoryStream();
        GoldenImage.Pack(directory, image);
        return Convert.ToHexString(SHA256.HashData(image.ToArray())) + Stamp(directory);
    }

    /// <summary>When the files of a directory were last changed, as far as the system notes it at once.</summary>
    internal static string Stamp(string directory) => string.Concat(Directory.GetFileSystemEntries(directory, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal)
        .Select(static path => $"{path} {File.GetLastWriteTimeUtc(path).Ticks}\n"));

    /// <summary>Flips bits of a file.</summary>
    internal static void Flip(string path, params long[] offsets)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite);
        foreach (long offset in offsets)
        {
            file.Position = offset;
            int read = file.ReadByte();
            file.Position = offset;
            file.WriteByte((byte)(read ^ 0x10));
        }
    }

    /// <summary>Where bytes stand in a file; the last place of several.</summary>
    internal static (string Path, long Offset) Find(string directory, ReadOnlySpan<byte> bytes)
    {
        foreach (string path in Directory.GetFiles(Path.Combine(directory, "extents")))
        {
            byte[] content = File.ReadAllBytes(path);
            int offset = content.AsSpan().LastIndexOf(bytes);
            if (offset >= 0)
            {
                return (path, offset);
            }
        }

        throw new InvalidOperationException("It is in none of the extents.");
    }

    private static string GoldenFolder() => Path.Combine(Root, "tests", "golden", "v1");

    private static string FindRoot()
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Pile.sln")))
            {
                return folder.FullName;
            }
        }

        throw new DirectoryNotFoundException("No Pile.sln above these tests.");
    }
}
