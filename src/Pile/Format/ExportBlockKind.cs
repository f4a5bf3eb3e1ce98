// What a block of an export holds. The numbers are part of the format; docs/EXPORT.md draws the items.
// A reader that meets another number has a newer version before it.
namespace Pile.Format;

/// <summary>Kinds of blocks.</summary>
internal enum ExportBlockKind : byte
{
    /// <summary>The first block: what the export is, and of which pile.</summary>
    Header = 0,

    /// <summary>Schemas of types.</summary>
    Types = 1,

    /// <summary>Named pointers.</summary>
    Roots = 2,

    /// <summary>Slots in rising order, each with its object, or with the generation of the object that was deleted.</summary>
    Objects = 3,

    /// <summary>The last block: how much there was.</summary>
    End = 4,
}
