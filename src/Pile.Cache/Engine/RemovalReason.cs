// Why an entry is to be removed: decided under the lock of its chain.
// Who asks has seen the entry before.
namespace Pile.Cache.Engine;

/// <summary>Reason of a removal.</summary>
internal enum RemovalReason
{
    /// <summary>A caller removes it.</summary>
    Any,

    /// <summary>A caller removes it if it has a version.</summary>
    OfVersion,

    /// <summary>It is removed if it has ended.</summary>
    Ended,

    /// <summary>A caller lets it end, if it has a version.</summary>
    Expired,

    /// <summary>It is removed if it is of another era than the table.</summary>
    Cleared,

    /// <summary>Its table was dropped.</summary>
    Dropped,
}
