// An entry as a list of a table meets it: key and value, or what hinders the read.
// A copy.
using System.Collections.Generic;
using System.Runtime.ExceptionServices;

namespace Pile.Cache.Engine;

/// <summary>An entry of a list.</summary>
/// <param name="Item">Key and value; of one that can't be read the key alone, or default where that can't either.</param>
/// <param name="Failure">Why it can't be read; null where it can.</param>
internal readonly record struct ListedItem<TKey, TValue>(KeyValuePair<TKey, TValue> Item, ExceptionDispatchInfo? Failure = null)
    where TKey : notnull
    where TValue : notnull;
