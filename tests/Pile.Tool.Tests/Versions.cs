using System;
using System.Buffers.Binary;
using System.IO;
using System.Numerics;

namespace Pile.Tool.Tests;

/// <summary>Lets pile.meta be of another format version, or have a feature that nobody knows, by docs/FORMAT.md alone.</summary>
internal static class Versions
{
    private const int SlotBytes = 4096;
    private const int VersionOffset = 8;
    private const int IncompatibleFeaturesOffset = 32;

    internal static void Raise(string meta, uint version) => Patch(meta, VersionOffset, version);

    internal static void RaiseFeature(string meta) => Patch(meta, IncompatibleFeaturesOffset, 1);

    private static void Patch(string meta, int offset, uint value)
    {
        byte[] bytes = File.ReadAllBytes(meta);
        for (int slot = 0; slot < bytes.Length; slot += SlotBytes)
        {
            Span<byte> header = bytes.AsSpan(slot, SlotBytes);
            BinaryPrimitives.WriteUInt32LittleEndian(header[offset..], value);
            BinaryPrimitives.WriteUInt32LittleEndian(header[(SlotBytes - 4)..], Crc(header[..(SlotBytes - 4)]));
        }

        File.WriteAllBytes(meta, bytes);
    }

    private static uint Crc(ReadOnlySpan<byte> bytes)
    {
        uint crc = uint.MaxValue;
        foreach (byte next in bytes)
        {
            crc = BitOperations.Crc32C(crc, next);
        }

        return ~crc;
    }
}
