// First bytes of MessagePack values and the extension codes of this codec.
// Source: the MessagePack specification; codes 0 to 127 are the application's, MessagePack-CSharp's own stay unused.
namespace Pile.Codecs;

/// <summary>Bytes of the format; the numbers are part of it.</summary>
internal static class WireCode
{
    internal const byte FixIntMax = 0x7f;
    internal const byte FixMap = 0x80;
    internal const byte FixArray = 0x90;
    internal const byte FixText = 0xa0;
    internal const byte Nil = 0xc0;
    internal const byte False = 0xc2;
    internal const byte True = 0xc3;
    internal const byte Bin8 = 0xc4;
    internal const byte Bin16 = 0xc5;
    internal const byte Bin32 = 0xc6;
    internal const byte Ext8 = 0xc7;
    internal const byte Ext16 = 0xc8;
    internal const byte Ext32 = 0xc9;
    internal const byte Float32 = 0xca;
    internal const byte Float64 = 0xcb;
    internal const byte UInt8 = 0xcc;
    internal const byte UInt16 = 0xcd;
    internal const byte UInt32 = 0xce;
    internal const byte UInt64 = 0xcf;
    internal const byte Int8 = 0xd0;
    internal const byte Int16 = 0xd1;
    internal const byte Int32 = 0xd2;
    internal const byte Int64 = 0xd3;
    internal const byte FixExt1 = 0xd4;
    internal const byte FixExt2 = 0xd5;
    internal const byte FixExt4 = 0xd6;
    internal const byte FixExt8 = 0xd7;
    internal const byte FixExt16 = 0xd8;
    internal const byte Text8 = 0xd9;
    internal const byte Text16 = 0xda;
    internal const byte Text32 = 0xdb;
    internal const byte Array16 = 0xdc;
    internal const byte Array32 = 0xdd;
    internal const byte Map16 = 0xde;
    internal const byte Map32 = 0xdf;
    internal const byte NegativeFixInt = 0xe0;

    /// <summary>Extension: the byte offset, inside this value, of an object that was written before.</summary>
    internal const byte Reference = 1;

    /// <summary>Extension: an object whose content follows at the end; its type's number, lengths of an array.</summary>
    internal const byte Forward = 2;

    /// <summary>Extension: the 64 bits of a DateTime, big-endian: ticks 62, kind 2.</summary>
    internal const byte DateTime = 3;

    /// <summary>Extension: the 16 bytes of a Guid in RFC 9562 order.</summary>
    internal const byte Guid = 4;

    /// <summary>Extension: scale and sign in one byte, then the mantissa, little-endian, without high zeros.</summary>
    internal const byte Decimal = 5;

    /// <summary>Extension: UTF-16 code units, little-endian, of text that is not valid UTF-16.</summary>
    internal const byte Utf16 = 6;

    /// <summary>Extension: UTC ticks 64 and offset in minutes 16, big-endian.</summary>
    internal const byte DateTimeOffset = 7;

    /// <summary>Extension: two's complement, little-endian, no longer than needed.</summary>
    internal const byte BigInteger = 8;

    /// <summary>Extension: 128 bits, big-endian.</summary>
    internal const byte Int128 = 9;

    /// <summary>Extension: element code in one byte, then the elements of a primitive array, little-endian.</summary>
    internal const byte Block = 10;
}
