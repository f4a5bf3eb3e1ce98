// How long an entry lives, what it is worth, and what it can be removed by.
// The server keeps times in milliseconds: what is shorter counts as one.
using System;
using System.Collections.Generic;

namespace Pile.Client;

/// <summary>Terms of an entry. Of several ends the first counts; without one the table's default holds.</summary>
public readonly record struct PileClientTerms
{
    /// <summary>How long it lives from the store on; more than zero. Null for no such end.</summary>
    public TimeSpan? TimeToLive { get; init; }

    /// <summary>How long it lives from its last use on; more than zero. Null for no such end.</summary>
    public TimeSpan? SlidingExpiration { get; init; }

    /// <summary>When it ends. Null for no such end.</summary>
    public DateTimeOffset? AbsoluteExpiration { get; init; }

    /// <summary>What it is worth.</summary>
    public PileClientPriority Priority { get; init; }

    /// <summary>Tags by which it can be removed together with others: at most 32, none empty, "*" or of more than 15,360 bytes of UTF-8. Null for none.</summary>
    public IReadOnlyList<string>? Tags { get; init; }
}
