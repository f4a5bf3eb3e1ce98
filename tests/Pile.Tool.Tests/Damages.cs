using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

namespace Pile.Tool.Tests;

/// <summary>Damages of a closed pile in files: those of the durability suite, one of each kind.</summary>
internal static class Damages
{
    /// <summary>All of them.</summary>
    internal static IEnumerable<string> All { get; } =
    [
        "one slot of meta", "both slots of meta", "no meta", "a directory for meta", "meta of another pile", "meta of random bytes", "meta of a newer format", "meta with an unknown feature", "a short meta",
        "one header of an extent", "both headers of an extent", "a segment's row", "an extent is missing", "an extent of large objects is missing", "an extent is truncated", "an extent of another pile",
        "an extent behind a link", "no folder of extents", "no extents in it",
        "a payload", "a large payload", "a record's header", "a sector of records", "a page of records",
        "no table", "a page of the table", "the table's header", "a short table", "entries of zeros", "the sums", "no sums", "no lock", "no table and no floors",
    ];

    /// <summary>Does a closed pile a damage.</summary>
    internal static void Do(string path, string what)
    {
        string first = Path.Combine(path, "extents", "00000001");
        string table = Directory.GetFiles(path, "table.*").Single();
        (string file, long offset) = Piles.Find(path, what == "a large payload" ? Piles.Large.AsSpan(50_000, 1000) : Encoding.Latin1.GetBytes(Piles.Text));
        switch (what)
        {
            case "one slot of meta":
                Piles.Flip(Path.Combine(path, "pile.meta"), 100);
                break;
            case "both slots of meta":
                Piles.Flip(Path.Combine(path, "pile.meta"), 100, 4196);
                break;
            case "one header of an extent":
                Piles.Flip(first, 20);
                break;
            case "both headers of an extent":
                Piles.Flip(first, 20, 12_288 + 20);
                break;
            case "a segment's row":
                Piles.Flip(first, 4096);
                break;
            case "a payload" or "a large payload":
                Piles.Flip(file, offset + 7);
                break;
            case "a record's header":
                Piles.Flip(file, offset - 14);
                break;
            case "a page of the table":
                Piles.Flip(table, 4096 + (8 * 20) + 1);
                break;
            case "the table's header":
                Piles.Flip(table, 30);
                break;
            case "the sums":
                Piles.Flip(Directory.GetFiles(path, "sums.*").Single(), 66);
                break;
            case "no table":
                File.Delete(table);
                break;
            case "an extent is missing":
                File.Delete(first);
                break;
            case "an extent of large objects is missing":
                File.Delete(Path.Combine(path, "extents", "00000002"));
                break;
            case "an extent is truncated":
                using (FileStream extent = File.OpenWrite(first))
                {
                    extent.SetLength(extent.Length - 4096);
                }

                break;
            case "no meta":
                File.Delete(Path.Combine(path, "pile.meta"));
                break;
            case "a directory for meta":
                File.Delete(Path.Combine(path, "pile.meta"));
                _ = Directory.CreateDirectory(Path.Combine(path, "pile.meta"));
                break;
            case "meta of another pile":
                Swap(path, "pile.meta");
                break;
            case "meta of random bytes":
                Overwrite(Path.Combine(path, "pile.meta"), 0, Noise(8192));
                break;
            case "meta of a newer format":
                Versions.Raise(Path.Combine(path, "pile.meta"), 9);
                break;
            case "meta with an unknown feature":
                Versions.RaiseFeature(Path.Combine(path, "pile.meta"));
                break;
            case "a short meta":
                Cut(Path.Combine(path, "pile.meta"), 4096);
                break;
            case "an extent of another pile":
                Swap(path, Path.Combine("extents", "00000001"));
                break;
            case "an extent behind a link":
                File.Move(first, first + ".real");
                _ = File.CreateSymbolicLink(first, first + ".real");
                break;
            case "no folder of extents":
                Directory.Delete(Path.Combine(path, "extents"), recursive: true);
                break;
            case "no extents in it":
                Directory.GetFiles(Path.Combine(path, "extents")).ToList().ForEach(File.Delete);
                break;
            case "a sector of records":
                Overwrite(file, offset / 512 * 512, Noise(512));
                break;
            case "a page of records":
                Overwrite(file, offset / 4096 * 4096, Noise(4096));
                break;
            case "a short table":
                Cut(table, 4096);
                break;
            case "entries of zeros":
                Overwrite(table, 4096, new byte[512]);
                break;
            case "no sums":
                File.Delete(Directory.GetFiles(path, "sums.*").Single());
                break;
            case "no lock":
                File.Delete(Path.Combine(path, "lock"));
                break;
            case "no table and no floors":
                File.Delete(table);
                Directory.GetFiles(path, "floors.*").ToList().ForEach(File.Delete);
                break;
            default:
                throw new ArgumentException(what);
        }
    }

    private static byte[] Noise(int bytes)
    {
        byte[] noise = new byte[bytes];
        new Random(7).NextBytes(noise);
        return noise;
    }

    private static void Overwrite(string path, long offset, byte[] bytes)
    {
        using FileStream file = File.OpenWrite(path);
        file.Position = offset;
        file.Write(bytes);
    }

    private static void Cut(string path, int bytes)
    {
        using FileStream file = File.OpenWrite(path);
        file.SetLength(bytes);
    }

    /// <summary>Puts a file of another pile in the place of the pile's own.</summary>
    private static void Swap(string path, string name)
    {
        string other = path + ".other";
        using (ObjectPile pile = ObjectPile.Open(other, Piles.Options))
        {
            Piles.Fill(pile, 10);
        }

        File.Copy(Path.Combine(other, name), Path.Combine(path, name), overwrite: true);
        Directory.Delete(other, recursive: true);
    }
}
