using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Pile.Tests.Fuzz;

/// <summary>Changes of files that know nothing of what is in them: stretches of elsewhere, other lengths, files that are gone, twice there, or of
/// another pile.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal static class FuzzMoves
{
    private static readonly int[] _steps = [8, 64, 512, 4096, 65_536];

    /// <summary>Damages bytes in place.</summary>
    internal static void Damage(FuzzFile file, Random random)
    {
        long offset = Place(file, random, 1);
        byte[] bytes = file.Read(offset, (int)long.Min(64, long.Max(0, file.Bytes - offset)));
        FuzzBytes.ChangeInPlace(bytes, random);
        file.Write(offset, bytes);
    }

    /// <summary>Gives a word another number, or that of another word.</summary>
    internal static void ChangeWord(FuzzFile file, Random random)
    {
        long offset = Place(file, random, sizeof(ulong));
        ulong other = file.Word(Place(file, random, sizeof(ulong)));
        file.SetWord(offset, random.Next(3) == 0 ? other : FuzzNumbers.Next(random, file.Word(offset), 64));
    }

    /// <summary>Puts a stretch of one file into another one, or of itself elsewhere.</summary>
    internal static void Splice(FuzzFile file, FuzzFile source, Random random)
    {
        int step = _steps[random.Next(_steps.Length)];
        int count = step * random.Next(1, 9);
        long from = Place(source, random, step);
        long to = random.Next(3) == 0 ? from : Place(file, random, step);
        file.Write(to, source.Read(from, (int)long.Min(count, long.Max(0, source.Bytes - from))));
    }

    /// <summary>Gives a file another length.</summary>
    internal static void Resize(FuzzFile file, Random random)
    {
        long last = file.Pages.Count == 0 ? 0 : file.Pages.Max();
        file.Bytes = random.Next(6) switch
        {
            0 => 0,
            1 => random.NextInt64(file.Bytes + 1),
            2 => long.Max(0, file.Bytes - random.Next(1, 5000)),
            3 => file.Bytes + random.Next(1, 5000),
            4 => random.NextInt64(last + FuzzFile.PageBytes),
            _ => file.Bytes * 2,
        };
    }

    /// <summary>Removes, renames, repeats or replaces a file.</summary>
    internal static void Move(FuzzImage image, string path, FuzzImage other, Random random)
    {
        FuzzFile file = image.Files[path];
        string[] same = [.. other.Files.Keys.Where(name => name.Split('.', '/')[0] == path.Split('.', '/')[0])];
        switch (random.Next(5))
        {
            case 0:
                _ = image.Files.Remove(path);
                break;
            case 1:
                _ = image.Files.Remove(path);
                image.Files[OtherName(path, random)] = file;
                break;
            case 2:
                image.Files[OtherName(path, random)] = file.Fork();
                break;
            case 3 when same.Length > 0:
                image.Files[path] = other.Files[same[random.Next(same.Length)]].Fork();
                break;
            default:
                string second = image.Files.Keys.ElementAt(random.Next(image.Files.Count));
                (image.Files[path], image.Files[second]) = (image.Files[second], file);
                break;
        }
    }

    /// <summary>A place in one of the pages of a file that are not empty, on a multiple of a step.</summary>
    private static long Place(FuzzFile file, Random random, int step)
    {
        IReadOnlyCollection<long> pages = file.Pages;
        long offset = (pages.Count == 0 ? 0 : pages.ElementAt(random.Next(pages.Count))) + random.Next(FuzzFile.PageBytes);
        return offset / step * step;
    }

    private static string OtherName(string path, Random random)
    {
        string name = Path.GetFileName(path);
        string folder = path[..^name.Length];
        int number = random.Next(8);
        return folder.Length > 0 ? folder + number.ToString("D8", CultureInfo.InvariantCulture)
            : name.Contains('.', StringComparison.Ordinal) && char.IsAsciiDigit(name[^1]) ? $"{name.Split('.')[0]}.{number}"
            : name + ".new";
    }
}
