using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Pile.Tests.Fuzz;

/// <summary>One change of a directory's files, which follows from its seed.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal static class FuzzChange
{
    /// <summary>Changes an image.</summary>
    /// <param name="image">What is changed.</param>
    /// <param name="seed">The seed.</param>
    /// <param name="others">What bytes and files are taken from.</param>
    /// <returns>Whether checksums were made to fit: then what is read may be another value.</returns>
    internal static bool Apply(FuzzImage image, int seed, IReadOnlyList<FuzzImage> others)
    {
        var random = new Random(seed);
        string[] paths = [.. image.Files.Where(static file => file.Value.Bytes > 0).Select(static file => file.Key)];
        if (paths.Length == 0)
        {
            return false;
        }

        string path = paths[random.Next(paths.Length)];
        FuzzFile file = image.Files[path];
        FuzzImage other = others[random.Next(others.Count)];
        switch (random.Next(16))
        {
            case 0 or 1:
                FuzzMoves.Damage(file, random);
                return false;
            case 2 or 3:
                FuzzMoves.Splice(file, SourceOf(path, image, other, random), random);
                return false;
            case 4 when random.Next(2) == 0:
                FuzzMoves.Resize(file, random);
                return false;
            case 4 or 5 when random.Next(2) == 0:
                FuzzMoves.Move(image, path, other, random);
                return false;
            default:
                ChangeSealed(image, path, random);
                return true;
        }
    }

    private static FuzzFile SourceOf(string path, FuzzImage image, FuzzImage other, Random random) => random.Next(3) switch
    {
        0 => image.Files[path],
        1 => image.Files.Values.ElementAt(random.Next(image.Files.Count)),
        _ => other.Files.TryGetValue(path, out FuzzFile? same) ? same : other.Files.Values.First(),
    };

    private static void ChangeSealed(FuzzImage image, string path, Random random)
    {
        FuzzFile file = image.Files[path];
        string name = Path.GetFileName(path);
        if (path.StartsWith("extents", StringComparison.Ordinal) && random.Next(6) != 0)
        {
            ChangeExtent(file, random);
        }
        else if (name.StartsWith("table.", StringComparison.Ordinal) && random.Next(6) != 0)
        {
            FuzzTable.Change(image, path, random);
        }
        else if (name.StartsWith("checkpoint.", StringComparison.Ordinal) && random.Next(4) != 0)
        {
            FuzzTable.ChangeCheckpoint(file, random);
        }
        else if (name.StartsWith("index.", StringComparison.Ordinal) && random.Next(3) != 0)
        {
            FuzzMoves.ChangeWord(file, random);
        }
        else if (FuzzHeader.TryOf(path, file, out FuzzHeader header))
        {
            header.Change(file, random);
        }
    }

    private static void ChangeExtent(FuzzFile file, Random random)
    {
        int what = random.Next(10);
        if (what == 0)
        {
            FuzzSegment.ChangeRow(file, random);
            return;
        }

        FuzzSegment? segment = FuzzSegment.Any(file, random);
        if (what == 1)
        {
            segment?.ChangeHeader(random);
        }
        else if (what is 2 or 3)
        {
            segment?.MoveRecord(random);
        }
        else
        {
            segment?.ChangeRecord(random);
        }
    }
}
