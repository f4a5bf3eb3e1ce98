// The forms of content: what follows the tag in the array of an object. Stored in schemas, so that a reader without the
// CLR type can walk any object.
namespace Pile.Codecs;

/// <summary>How the content of a type is laid out; the numbers are part of the format.</summary>
internal enum PlanKind : byte
{
    /// <summary>Fields in the order of the schema.</summary>
    Fields = 1,

    /// <summary>One value.</summary>
    Value = 2,

    /// <summary>Elements.</summary>
    Array = 3,

    /// <summary>Length and lower bound of each dimension in turn, then the elements row by row.</summary>
    Grid = 4,

    /// <summary>The schema's fields first, then elements.</summary>
    Sequence = 5,

    /// <summary>The schema's fields first, then keys and values in turn.</summary>
    Map = 6,

    /// <summary>The fixed parts that the schema names: text, numbers, a code.</summary>
    Parts = 7,

    /// <summary>The schema's fields first, then names and values in turn, as ISerializable gives them.</summary>
    Serializable = 8,

    /// <summary>Never written.</summary>
    Refused = 9,

    /// <summary>A comparer, then all keys, then all values.</summary>
    KeysThenValues = 10,
}
