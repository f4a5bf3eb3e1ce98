using System;
using System.Buffers.Binary;
using System.IO;
using System.Numerics;
using System.Security.Cryptography;

namespace WarmRestart;

/// <summary>What a device may hold after a power cut, made of two images of a pile's files: one of the moment when a flush had just
/// completed and nothing was written since, one of the moment when its process was killed. Of each 512-byte sector that differs, the
/// device has written back the later state or has not; which, is drawn. Names and lengths, pile.meta, and the headers of new extents
/// are synced by the pile before it goes on, so those are the later ones. docs/FORMAT.md draws the files.</summary>
/// <param name="seed">What is drawn.</param>
internal sealed class PowerCut(int seed)
{
    private const int SectorBytes = 512;
    private const int PageBytes = 4096;
    private const int HeaderCopyOffset = 12_288;
    private const int BootOffset = 72;
    private const int BootBytes = 16;
    private readonly Random _random = new(seed);

    /// <summary>Sectors that differed.</summary>
    internal long Differing { get; private set; }

    /// <summary>How many of them were dropped.</summary>
    internal long Dropped { get; private set; }

    /// <summary>Copies the files of a pile that nobody writes to now.</summary>
    internal static void Image(string source, string target)
    {
        foreach (string name in NamesIn(source))
        {
            Mix(Path.Combine(source, name), null, Path.Combine(target, name), static (_, _, _) => false);
        }
    }

    /// <summary>Makes the image of the cut.</summary>
    /// <param name="flushed">The image of the flush.</param>
    /// <param name="killed">The files as the kill left them.</param>
    /// <param name="target">Where to.</param>
    internal void Make(string flushed, string killed, string target)
    {
        foreach (string name in NamesIn(killed))
        {
            bool isMeta = name == "pile.meta";
            bool isNew = !File.Exists(Path.Combine(flushed, name));
            Mix(Path.Combine(killed, name), isMeta ? null : Path.Combine(flushed, name), Path.Combine(target, name), (offset, before, after) =>
            {
                bool isSynced = isNew && offset is < PageBytes or (>= HeaderCopyOffset and < HeaderCopyOffset + PageBytes);
                if (isMeta || isSynced || before.SequenceEqual(after))
                {
                    return false;
                }

                Differing++;
                bool isDropped = _random.Next(2) == 0;
                Dropped += isDropped ? 1 : 0;
                return isDropped;
            });
        }

        OfAnotherBoot(Path.Combine(target, "pile.meta"));
    }

    /// <summary>The files of a pile but for its lock, which is the kernel's, and made anew.</summary>
    private static string[] NamesIn(string directory) =>
        Array.FindAll(
            Array.ConvertAll(Directory.GetFiles(directory, "*", SearchOption.AllDirectories), path => Path.GetRelativePath(directory, path)),
            static name => name != "lock");

    /// <summary>Copies a file by sectors, of which some are another file's; what is zero takes no space.</summary>
    private static void Mix(string source, string? other, string target, DropsSector drops)
    {
        Directory.CreateDirectory(Path.GetDirectoryName(target)!);
        using var from = new FileStream(source, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        using FileStream? before = other is not null && File.Exists(other) ? File.OpenRead(other) : null;
        using FileStream to = File.Create(target);
        to.SetLength(from.Length);
        byte[] now = new byte[PageBytes];
        byte[] then = new byte[PageBytes];
        for (long offset = 0; offset < from.Length; offset += PageBytes)
        {
            int read = from.ReadAtLeast(now, PageBytes, throwOnEndOfStream: false);
            then.AsSpan().Clear();
            _ = before?.ReadAtLeast(then, PageBytes, throwOnEndOfStream: false);
            for (int sector = 0; sector < read; sector += SectorBytes)
            {
                Span<byte> after = now.AsSpan(sector, int.Min(SectorBytes, read - sector));
                if (drops(offset + sector, then.AsSpan(sector, after.Length), after))
                {
                    then.AsSpan(sector, after.Length).CopyTo(after);
                }
            }

            if (now.AsSpan(0, read).ContainsAnyExcept((byte)0))
            {
                to.Position = offset;
                to.Write(now, 0, read);
            }
        }
    }

    /// <summary>Lets both slots of pile.meta say that they were written in another boot of the machine, which a power cut ends.</summary>
    private static void OfAnotherBoot(string meta)
    {
        byte[] bytes = File.ReadAllBytes(meta);
        for (int slot = 0; slot < bytes.Length; slot += PageBytes)
        {
            Span<byte> page = bytes.AsSpan(slot, PageBytes);
            RandomNumberGenerator.Fill(page.Slice(BootOffset, BootBytes));
            BinaryPrimitives.WriteUInt32LittleEndian(page[^sizeof(uint)..], Crc32C(page[..^sizeof(uint)]));
        }

        File.WriteAllBytes(meta, bytes);
    }

    private static uint Crc32C(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        foreach (byte value in bytes)
        {
            crc = BitOperations.Crc32C(crc, value);
        }

        return ~crc;
    }

    private delegate bool DropsSector(long offset, ReadOnlySpan<byte> before, ReadOnlySpan<byte> after);
}
