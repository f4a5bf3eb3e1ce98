using System;
using System.IO;
using System.IO.Compression;
using System.Linq;
using System.Runtime.Versioning;

namespace Pile.Tests.Golden;

/// <summary>The files of a pile's directory in one small file: what is not zero of them, by pages, compressed.</summary>
[SupportedOSPlatform("linux")]
internal static class GoldenImage
{
    private const int PageBytes = 4096;

    /// <summary>Packs a directory. Its pile may be open: then the image is what a kill would leave.</summary>
    internal static void Pack(string directory, Stream target)
    {
        using var writer = new BinaryWriter(new GZipStream(target, CompressionLevel.SmallestSize));
        string[] files = [.. Directory.GetFiles(directory, "*", SearchOption.AllDirectories).Order(StringComparer.Ordinal)];
        writer.Write(files.Length);
        foreach (string path in files)
        {
            writer.Write(Path.GetRelativePath(directory, path));
            if (Path.GetFileName(path) == "lock")
            {
                // Held by an open pile; what it says is for messages only.
                writer.Write(0L);
                writer.Write(-1L);
                continue;
            }

            using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            writer.Write(file.Length);
            byte[] page = new byte[PageBytes];
            for (long offset = 0; offset < file.Length; offset += PageBytes)
            {
                int read = file.ReadAtLeast(page, PageBytes, throwOnEndOfStream: false);
                if (page.AsSpan(0, read).ContainsAnyExcept((byte)0))
                {
                    writer.Write(offset);
                    writer.Write(read);
                    writer.Write(page, 0, read);
                }
            }

            writer.Write(-1L);
        }
    }

    /// <summary>Unpacks an image; what was zero has no space on the device.</summary>
    internal static void Unpack(Stream source, string directory)
    {
        using var reader = new BinaryReader(new GZipStream(source, CompressionMode.Decompress));
        for (int files = reader.ReadInt32(); files > 0; files--)
        {
            string path = Path.Combine(directory, reader.ReadString());
            Directory.CreateDirectory(Path.GetDirectoryName(path)!, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
            using FileStream file = File.Create(path);
            File.SetUnixFileMode(path, UnixFileMode.UserRead | UnixFileMode.UserWrite);
            file.SetLength(reader.ReadInt64());
            for (long offset = reader.ReadInt64(); offset >= 0; offset = reader.ReadInt64())
            {
                file.Position = offset;
                file.Write(reader.ReadBytes(reader.ReadInt32()));
            }
        }
    }
}
