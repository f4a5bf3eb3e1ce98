// What lists something anew for each who asks.
// It holds nothing itself.
using System;
using System.Collections;
using System.Collections.Generic;

namespace Pile.Cache.Engine;

/// <summary>A list that is walked.</summary>
/// <param name="begin">Begins a walk.</param>
internal sealed class Listing<T>(Func<IEnumerator<T>> begin) : IEnumerable<T>
{
    /// <inheritdoc/>
    public IEnumerator<T> GetEnumerator() => begin();

    IEnumerator IEnumerable.GetEnumerator() => begin();
}
