// The frame of a block in an export: one MessagePack array of four values whose headers have fixed widths, so that a reader knows from
// the first 12 bytes how far to read, and any MessagePack library reads it too:
//   0x94 | kind 8 | 0xce, items 32 | 0xc6, body bytes 32 | body | 0xce, sum 32, all big-endian.
// The sum covers everything before its own five bytes, from the beginning of the export on: a block that is missing, twice there or
// elsewhere is noticed like one that is damaged.
using System;
using System.Buffers.Binary;

namespace Pile.Format;

/// <summary>Packing and reading of a block's frame.</summary>
/// <param name="Kind">What the items are.</param>
/// <param name="Items">How many.</param>
/// <param name="BodyBytes">Bytes of the items.</param>
internal readonly record struct ExportBlock(ExportBlockKind Kind, uint Items, uint BodyBytes)
{
    internal const int PrefixBytes = 12;
    internal const int SumBytes = 5;
    private const int ItemsOffset = 2;
    private const int BodyOffset = 7;
    private const byte ArrayOfFour = 0x94;
    private const byte UInt32 = 0xce;
    private const byte Bytes32 = 0xc6;
    private const byte KindMax = 0x7f;

    /// <summary>Writes what stands before the body.</summary>
    internal void WritePrefix(Span<byte> target)
    {
        target[0] = ArrayOfFour;
        target[1] = (byte)Kind;
        target[ItemsOffset] = UInt32;
        BinaryPrimitives.WriteUInt32BigEndian(target[(ItemsOffset + 1)..], Items);
        target[BodyOffset] = Bytes32;
        BinaryPrimitives.WriteUInt32BigEndian(target[(BodyOffset + 1)..], BodyBytes);
    }

    /// <summary>Reads what stands before a body.</summary>
    /// <returns>False when it is nothing of the kind.</returns>
    internal static bool TryReadPrefix(ReadOnlySpan<byte> source, out ExportBlock block)
    {
        block = new ExportBlock(
            (ExportBlockKind)source[1],
            BinaryPrimitives.ReadUInt32BigEndian(source[(ItemsOffset + 1)..]),
            BinaryPrimitives.ReadUInt32BigEndian(source[(BodyOffset + 1)..]));
        return source[0] == ArrayOfFour && source[1] <= KindMax && source[ItemsOffset] == UInt32 && source[BodyOffset] == Bytes32;
    }

    /// <summary>Writes what stands behind the body.</summary>
    internal static void WriteSum(Span<byte> target, uint sum)
    {
        target[0] = UInt32;
        BinaryPrimitives.WriteUInt32BigEndian(target[1..], sum);
    }

    /// <summary>Whether what stands behind a body is this sum.</summary>
    internal static bool IsSum(ReadOnlySpan<byte> source, uint sum) =>
        source[0] == UInt32 && BinaryPrimitives.ReadUInt32BigEndian(source[1..]) == sum;
}
