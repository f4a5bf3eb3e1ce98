// What F#'s dict and readOnlyDict give is written as a ReadOnlyDictionary of the framework's around a Dictionary with the same entries in the same order, and is
// that when it is read: F#'s own class holds functions that are named after lines of its library. Both are read-only and have the same interfaces.
using System.Collections.Generic;
using System.Collections.ObjectModel;

namespace Pile.Codecs;

/// <summary>Plan that writes one kind of dictionary as another. Reading it is the other's.</summary>
internal sealed class FSharpDictionaryPlan<TKey, TValue>() : Plan(typeof(ReadOnlyDictionary<TKey, TValue>), PlanKind.Fields)
    where TKey : notnull
{
    private static Plan Own => Plans.Of<ReadOnlyDictionary<TKey, TValue>>();

    internal override IReadOnlyList<PlanMember> Members => Own.Members;

    internal override int Count(object value) => Own.Members.Count;

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        var entries = (IDictionary<TKey, TValue>)value;
        var copy = new Dictionary<TKey, TValue>(entries.Count);
        foreach ((TKey key, TValue item) in entries)
        {
            // F# finds its None, which is null.
            copy.Add(key ?? throw Refuse.AType(value.GetType(), value, "one of its keys is null (None), which no dictionary of the framework takes. Keep a Map"), item);
        }

        Own.WriteContent(writer, new ReadOnlyDictionary<TKey, TValue>(copy), count);
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset) => Own.ReadContent(ref reader, count, hollow, offset);
}
