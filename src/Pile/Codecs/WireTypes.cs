// First bytes of MessagePack values sorted into families.
// Source: the table of formats in the MessagePack specification.
namespace Pile.Codecs;

/// <summary>Families by first byte.</summary>
internal static class WireTypes
{
    internal static bool IsExtension(byte code) =>
        code is (>= WireCode.Ext8 and <= WireCode.Ext32) or (>= WireCode.FixExt1 and <= WireCode.FixExt16);

    internal static WireType Of(byte code) => code switch
    {
        <= WireCode.FixIntMax or >= WireCode.NegativeFixInt => WireType.Integer,
        < WireCode.FixArray => WireType.Map,
        < WireCode.FixText => WireType.Array,
        < WireCode.Nil => WireType.Text,
        WireCode.False or WireCode.True => WireType.Bool,
        >= WireCode.Bin8 and <= WireCode.Bin32 => WireType.Binary,
        >= WireCode.Ext8 and <= WireCode.Ext32 => WireType.Extension,
        WireCode.Float32 => WireType.Single,
        WireCode.Float64 => WireType.Double,
        >= WireCode.UInt8 and <= WireCode.Int64 => WireType.Integer,
        >= WireCode.FixExt1 and <= WireCode.FixExt16 => WireType.Extension,
        >= WireCode.Text8 and <= WireCode.Text32 => WireType.Text,
        WireCode.Array16 or WireCode.Array32 => WireType.Array,
        WireCode.Map16 or WireCode.Map32 => WireType.Map,
        _ => WireType.Nil,
    };

    /// <summary>Bytes behind the first one of a value that is neither text, bytes, extension, array nor map.</summary>
    internal static int NumberBytes(byte code) => code switch
    {
        WireCode.UInt8 or WireCode.Int8 => 1,
        WireCode.UInt16 or WireCode.Int16 => 2,
        WireCode.Float32 or WireCode.UInt32 or WireCode.Int32 => 4,
        WireCode.Float64 or WireCode.UInt64 or WireCode.Int64 => 8,
        _ => 0,
    };
}
