// Under which condition a value is stored.
// An entry that has ended counts as absent.
namespace Pile.Cache.Engine;

/// <summary>Condition of a Set.</summary>
internal enum SetCondition
{
    /// <summary>None.</summary>
    None,

    /// <summary>The key has no entry.</summary>
    Absent,

    /// <summary>The key has an entry.</summary>
    Present,

    /// <summary>The key has an entry of the expected version.</summary>
    Version,

    /// <summary>The key has no entry, or one of the expected version: nobody has stored another one meanwhile.</summary>
    Unchanged,

    /// <summary>The key has an entry of the expected version, which may have ended and be kept.</summary>
    Kept,
}
