using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace Pile.Tests.Fuzz;

/// <summary>The files of a directory in memory: to be changed, and stored as often as wanted.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
internal sealed class FuzzImage
{
    private const UnixFileMode OwnerFile = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode OwnerDirectory = OwnerFile | UnixFileMode.UserExecute;

    /// <summary>Files by their path within the directory.</summary>
    internal SortedDictionary<string, FuzzFile> Files { get; } = new(StringComparer.Ordinal);

    /// <summary>Reads a directory; the pile in it may be open.</summary>
    internal static FuzzImage Load(string directory)
    {
        var image = new FuzzImage();
        byte[] bytes = new byte[256 * FuzzFile.PageBytes];
        foreach (string path in Directory.GetFiles(directory, "*", SearchOption.AllDirectories))
        {
            var file = new FuzzFile();
            image.Files.Add(Path.GetRelativePath(directory, path), file);
            if (Path.GetFileName(path) == "lock")
            {
                continue;
            }

            using var source = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0);
            file.Bytes = source.Length;
            for (long offset = 0; offset < source.Length; offset += bytes.Length)
            {
                int count = source.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
                for (int at = 0; at < count; at += FuzzFile.PageBytes)
                {
                    ReadOnlySpan<byte> page = bytes.AsSpan(at, int.Min(FuzzFile.PageBytes, count - at));
                    if (page.ContainsAnyExcept((byte)0))
                    {
                        file.Write(offset + at, page);
                    }
                }
            }
        }

        return image;
    }

    /// <summary>A copy.</summary>
    internal FuzzImage Fork()
    {
        var copy = new FuzzImage();
        foreach ((string path, FuzzFile file) in Files)
        {
            copy.Files.Add(path, file.Fork());
        }

        return copy;
    }

    /// <summary>Writes the directory anew; what is zero takes no space.</summary>
    internal void Store(string directory)
    {
        if (Directory.Exists(directory))
        {
            Directory.Delete(directory, recursive: true);
        }

        _ = Directory.CreateDirectory(directory, OwnerDirectory);
        foreach ((string name, FuzzFile file) in Files)
        {
            string path = Path.Combine(directory, name);
            _ = Directory.CreateDirectory(Path.GetDirectoryName(path)!, OwnerDirectory);
            using var target = new FileStream(path, new FileStreamOptions { Mode = FileMode.CreateNew, Access = FileAccess.Write, BufferSize = 0, UnixCreateMode = OwnerFile });
            target.SetLength(file.Bytes);
            foreach (long offset in file.Pages.Where(offset => offset < file.Bytes))
            {
                target.Position = offset;
                target.Write(file.Page(offset)[..(int)long.Min(FuzzFile.PageBytes, file.Bytes - offset)]);
            }
        }
    }

    /// <summary>Files whose content differs, or which only one of both has.</summary>
    internal IEnumerable<string> Differences(FuzzImage other) =>
        Files.Keys.Union(other.Files.Keys).Where(path => !(Files.TryGetValue(path, out FuzzFile? one) && other.Files.TryGetValue(path, out FuzzFile? two) && one.IsSame(two)));
}
