// The raw lanes that a CLR type may take, as LaneOf decides them.
// A record's code (Format.RecordCode) says what is stored; this says what is asked for.
namespace Pile.Codecs;

/// <summary>A lane for typed values.</summary>
internal enum Lane
{
    /// <summary>No raw lane: a codec writes it.</summary>
    Codec,

    /// <summary>System.String.</summary>
    Text,

    /// <summary>byte[].</summary>
    Bytes,

    /// <summary>An unmanaged value.</summary>
    Value,

    /// <summary>A one-dimensional array of unmanaged values.</summary>
    Array,
}
