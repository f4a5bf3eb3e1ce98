// A change that is being made to a table, from before it to after it. Most changes meet no lease, and then this is two empty fields.
// What it does to leases is said by TableLeases, which makes it.
using System;
using System.Collections.Generic;

namespace Pile.Server.Leases;

/// <summary>Leases that a change has outdated; disposing it ends them.</summary>
/// <param name="leases">Those of the table.</param>
/// <param name="outdated">Those that are to end; null for none.</param>
internal readonly struct LeaseChange(TableLeases leases, List<KeyLease>? outdated) : IDisposable
{
    public void Dispose()
    {
        if (outdated is not null)
        {
            leases.EndOutdated(outdated);
        }
    }
}
