// Goes over MessagePack values without looking into them, whatever they are: iteratively, however deep the bytes nest.
// Lengths are checked as when reading.
using System.Buffers.Binary;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Skips values.</summary>
internal static class WireSkipper
{
    /// <summary>Goes over the next value.</summary>
    internal static void Skip(this scoped ref WireReader reader)
    {
        // Elements still to come.
        for (long left = 1; left > 0; left--)
        {
            byte code = reader.Peek();
            switch (WireTypes.Of(code))
            {
                case WireType.Array:
                    left += reader.ReadArrayHeader();
                    break;
                case WireType.Map:
                    left += 2L * reader.ReadMapHeader();
                    break;
                case WireType.Extension:
                    _ = reader.ReadExtension(out _);
                    break;
                case WireType.Binary:
                    _ = reader.ReadBinary();
                    break;
                case WireType.Text:
                    SkipText(ref reader);
                    break;
                default:
                    reader.Position++;
                    _ = reader.Take(WireTypes.NumberBytes(code));
                    break;
            }
        }
    }

    /// <summary>A map header. Every pair takes two bytes, so the count is at most half of those that remain.</summary>
    internal static int ReadMapHeader(this scoped ref WireReader reader)
    {
        byte code = reader.Next();
        long count = code switch
        {
            WireCode.Map16 => BinaryPrimitives.ReadUInt16BigEndian(reader.Take(2)),
            WireCode.Map32 => BinaryPrimitives.ReadUInt32BigEndian(reader.Take(4)),
            >= WireCode.FixMap and < WireCode.FixArray => code & 15,
            _ => reader.Unexpected("a map", code),
        };
        if (count * 2 > reader.Remaining)
        {
            Throw.CorruptedValueOf($"a map of {count:N0} pairs in {reader.Remaining:N0} bytes", reader.Position);
        }

        return (int)count;
    }

    private static void SkipText(scoped ref WireReader reader)
    {
        byte code = reader.Next();
        _ = reader.Take(code switch
        {
            WireCode.Text8 => reader.Next(),
            WireCode.Text16 => BinaryPrimitives.ReadUInt16BigEndian(reader.Take(2)),
            WireCode.Text32 => BinaryPrimitives.ReadUInt32BigEndian(reader.Take(4)),
            _ => code & 31,
        });
    }
}
