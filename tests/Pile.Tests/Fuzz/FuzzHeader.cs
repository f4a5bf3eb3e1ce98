using System;
using System.Buffers.Binary;
using System.IO;
using Pile.Format;
using Pile.Memory;

namespace Pile.Tests.Fuzz;

/// <summary>A header with a checksum at its end, once or twice in its file: a field of it is given another number, and the checksum that fits.</summary>
/// <param name="Starts">Where its copies begin.</param>
/// <param name="SealedBytes">Bytes of one, the checksum included.</param>
/// <param name="FieldsBytes">Bytes from its beginning in which fields lie.</param>
internal readonly record struct FuzzHeader(long[] Starts, int SealedBytes, int FieldsBytes)
{
    private const int SharedBytes = 48;
    private const int CrcBytes = sizeof(uint);
    private const int MetaBytes = 172;
    private const int ExtentBytes = 64;
    private const int TableBytes = 52;
    private const int CheckpointBytes = 80;
    private const int FloorsBytes = 60;
    private const int IndexBytes = 200;

    /// <summary>The header of a file; false if it has none, or is too short for it.</summary>
    internal static bool TryOf(string path, FuzzFile file, out FuzzHeader header)
    {
        string name = Path.GetFileName(path);
        long half = file.Bytes / 2;
        header = name.Split('.')[0] switch
        {
            "pile" => new([0, MetaSlot.Bytes], MetaSlot.Bytes, MetaBytes),
            "table" => new([0], TableHeader.FixedBytes, TableBytes),
            "sums" => new([0], (int)long.Min(file.Bytes, 1 << 20), (int)long.Min(file.Bytes, 1 << 20)),
            "checkpoint" => new([0], HeaderBlock.Bytes, CheckpointBytes),
            "floors" => new([0, half], FloorsBytes + ((int)uint.Min((uint)file.Word(FloorsBytes - CrcBytes), 1 << 16) * sizeof(uint)) + CrcBytes, FloorsBytes + 8),
            "index" => new([0], HeaderBlock.Bytes, IndexBytes),
            "cache" when name == "cache.tables" => new([0, half], (int)uint.Min((uint)file.Word(SharedBytes), 1 << 16) + SharedBytes, (int)uint.Min((uint)file.Word(SharedBytes), 1 << 16) + SharedBytes),
            "cache" => new([0], (int)long.Min(file.Bytes, 1 << 20), (int)long.Min(file.Bytes, 1 << 20)),
            _ when path.StartsWith("extents", StringComparison.Ordinal) => new([0, ExtentHeader.CopyOffset], ExtentHeader.Bytes, ExtentBytes),
            _ => default,
        };
        return header.Starts is not null && header.SealedBytes > SharedBytes + CrcBytes && header.SealedBytes <= file.Bytes;
    }

    /// <summary>Changes a field and seals.</summary>
    internal void Change(FuzzFile file, Random random)
    {
        byte[] bytes = file.Read(Starts[0], SealedBytes);
        for (int fields = random.Next(1, 4); fields > 0; fields--)
        {
            int width = 1 << random.Next(4);
            int first = random.Next(16) == 0 ? sizeof(ulong) : SharedBytes;
            int last = int.Min(FieldsBytes, SealedBytes - CrcBytes) - width;
            if (last >= first)
            {
                int at = random.Next(first, last + 1);
                at = random.Next(8) == 0 ? at : int.Max(first, at & ~(width - 1));
                FuzzBytes.SetNumber(bytes.AsSpan(at, width), random, isBig: false);
            }
        }

        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(SealedBytes - CrcBytes), Crc32C.Compute(bytes.AsSpan(0, SealedBytes - CrcBytes)));
        bool isBoth = random.Next(4) != 0;
        int only = random.Next(Starts.Length);
        for (int copy = 0; copy < Starts.Length; copy++)
        {
            if (isBoth || copy == only)
            {
                file.Write(Starts[copy], bytes);
            }
        }
    }
}
