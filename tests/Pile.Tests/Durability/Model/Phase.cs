namespace Pile.Tests.Durability.Model;

/// <summary>Whether a process has the pile open.</summary>
internal enum Phase
{
    Down,

    /// <summary>Opening after a clean close.</summary>
    OpeningClean,

    /// <summary>Opening with the table that the page cache kept.</summary>
    OpeningTrusted,

    /// <summary>Opening by a crawl, in the boot of the kill.</summary>
    OpeningByCrawl,

    /// <summary>Opening by a crawl, after a cut or a failed sync.</summary>
    Recovering,
    Up,

    /// <summary>An open met damage below what was proven, and refused. Nothing follows.</summary>
    Refused,
}
