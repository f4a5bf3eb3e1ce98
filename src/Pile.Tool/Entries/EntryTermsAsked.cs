// The terms that a command line gives an entry.
// What it does not say is the table's to say.
using System;
using System.Collections.Generic;
using Pile.Cache;

namespace Pile.Tool.Entries;

/// <summary>Terms of an entry.</summary>
/// <param name="TimeToLive">From the store on; null for none.</param>
/// <param name="Sliding">From the last use on; null for none.</param>
/// <param name="Priority">Null for the table's.</param>
/// <param name="Tags">The tags.</param>
/// <param name="When">When it is stored at all.</param>
internal sealed record EntryTermsAsked(TimeSpan? TimeToLive, TimeSpan? Sliding, PileCachePriority? Priority, IReadOnlyList<string> Tags, SetWhen When);
