// The public face of a record's lane.
// The numbers are those of the record codes, which are part of the format; codes that no object carries have no name here.
namespace Pile;

/// <summary>How an object is stored.</summary>
public enum PileKind
{
    /// <summary>Bytes as given.</summary>
    Bytes = 1,

    /// <summary>Text of chars up to U+00FF, one byte each.</summary>
    NarrowString = 2,

    /// <summary>Text as UTF-16 code units.</summary>
    WideString = 3,

    /// <summary>One unmanaged value.</summary>
    Value = 4,

    /// <summary>Unmanaged values in a row.</summary>
    Span = 5,

    /// <summary>An object by Pile's own codec.</summary>
    Typed = 6,

    /// <summary>An object by a registered <see cref="IPileCodec{T}"/>.</summary>
    Codec = 15,
}
