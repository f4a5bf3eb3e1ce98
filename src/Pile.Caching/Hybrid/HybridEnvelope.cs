// What stands in the cache behind: when the value began to be made, when it ends, its tags, and its bytes, under a checksum. Bytes that
// are no envelope are recognised: others may write to that cache.
using System;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using Pile.Cache;
using Pile.Memory;

namespace Pile.Caching.Hybrid;

/// <summary>An entry of the cache behind. Layout, little-endian: magic u32 | CRC32C of the rest u32 | created ticks i64 | end ticks i64 | tags u8 |
/// each tag: bytes u16, UTF-8 | the value's bytes.</summary>
/// <param name="CreatedTicks">When the value began to be made, in ticks of UTC.</param>
/// <param name="EndTicks">When it ends.</param>
/// <param name="Tags">Its tags.</param>
/// <param name="Value">The bytes of its form.</param>
internal sealed record HybridEnvelope(long CreatedTicks, long EndTicks, string[] Tags, byte[] Value)
{
    // "PHC1"
    private const uint Magic = 0x3143_4850;
    private const int CheckAt = sizeof(uint);
    private const int CheckedAt = 2 * sizeof(uint);
    private const int CreatedAt = CheckedAt;
    private const int EndAt = CreatedAt + sizeof(long);
    private const int TagsAt = EndAt + sizeof(long);
    private const int HeadBytes = TagsAt + 1;

    private static readonly UTF8Encoding _utf8 = new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    /// <summary>The bytes.</summary>
    internal byte[] ToBytes()
    {
        int tagBytes = 0;
        foreach (string tag in Tags)
        {
            tagBytes += sizeof(ushort) + Encoding.UTF8.GetByteCount(tag);
        }

        byte[] bytes = new byte[HeadBytes + tagBytes + Value.Length];
        BinaryPrimitives.WriteUInt32LittleEndian(bytes, Magic);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(CreatedAt), CreatedTicks);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(EndAt), EndTicks);
        bytes[TagsAt] = checked((byte)Tags.Length);
        int at = HeadBytes;
        foreach (string tag in Tags)
        {
            int length = Encoding.UTF8.GetBytes(tag, bytes.AsSpan(at + sizeof(ushort)));
            BinaryPrimitives.WriteUInt16LittleEndian(bytes.AsSpan(at), checked((ushort)length));
            at += sizeof(ushort) + length;
        }

        Value.CopyTo(bytes, at);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(CheckAt), Crc32C.Compute(bytes.AsSpan(CheckedAt)));
        return bytes;
    }

    /// <summary>Reads bytes; false when they are no envelope, not whole, or have more or longer tags than an entry may.</summary>
    internal static bool TryRead(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out HybridEnvelope? envelope)
    {
        envelope = null;
        if (bytes.Length < HeadBytes
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes) != Magic
            || BinaryPrimitives.ReadUInt32LittleEndian(bytes[CheckAt..]) != Crc32C.Compute(bytes[CheckedAt..])
            || bytes[TagsAt] > CacheLimits.TagsMax)
        {
            return false;
        }

        string[] tags = new string[bytes[TagsAt]];
        ReadOnlySpan<byte> rest = bytes[HeadBytes..];
        for (int index = 0; index < tags.Length; index++)
        {
            if (rest.Length < sizeof(ushort) || rest.Length - sizeof(ushort) < BinaryPrimitives.ReadUInt16LittleEndian(rest))
            {
                return false;
            }

            int length = BinaryPrimitives.ReadUInt16LittleEndian(rest);
            if (length > CacheLimits.TagBytesMax || !TryReadTag(rest.Slice(sizeof(ushort), length), out tags[index]))
            {
                return false;
            }

            rest = rest[(sizeof(ushort) + length)..];
        }

        envelope = new HybridEnvelope(
            BinaryPrimitives.ReadInt64LittleEndian(bytes[CreatedAt..]), BinaryPrimitives.ReadInt64LittleEndian(bytes[EndAt..]), tags, rest.ToArray());
        return true;
    }

    private static bool TryReadTag(ReadOnlySpan<byte> bytes, out string tag)
    {
        try
        {
            tag = _utf8.GetString(bytes);
            return tag.Length > 0 && tag != HybridBehind.AllTag;
        }
        catch (DecoderFallbackException)
        {
            tag = "";
            return false;
        }
    }
}
