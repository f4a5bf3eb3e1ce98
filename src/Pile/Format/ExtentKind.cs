// What an extent file holds. The numbers are part of the format.
// Which is which is fixed when the file is created.
namespace Pile.Format;

/// <summary>Use of an extent.</summary>
internal enum ExtentKind : byte
{
    /// <summary>Segments of records, all of one size.</summary>
    Segments = 1,

    /// <summary>Page runs of large objects.</summary>
    Large = 2,
}
